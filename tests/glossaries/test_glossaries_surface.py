"""`svc_nb.glossaries` as a person uses it: from a file to the service and back, and every step says what comes next."""

from __future__ import annotations

import inspect
import sys

import pandas as pd
import pytest

from svc_nb import errors, glossaries, service, session
from svc_nb.settings import Settings
from svc_nb.tabular.terms import COLUMNS, made
from tests import forked
from tests.sessions import current

TERMS = made("en", ["de", "de", "fr"], ["house", "tree", "house"], ["Haus", "Baum", "maison"])


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True) as started:
        yield started


@pytest.fixture
def running(lasting):
    return lasting


@pytest.fixture
def connected(connected):
    """As everywhere, but the service has no glossaries; asked through this session and no other."""
    for each in connected.client.glossaries.list():
        connected.client.glossaries.delete(each.glossary_id)
    return connected


def rows(table):
    return sorted(table[list(COLUMNS)].itertuples(index=False, name=None))


def test_from_a_file_to_the_service_in_five_lines(connected, tmp_path):
    path = tmp_path / "terms.csv"
    path.write_bytes("\ufeffen,de,fr\r\nhouse,Haus,maison\r\ntree,Baum ,\r\ntree,Baum,\r\n".encode())
    terms = glossaries.read(path)
    assert "Next:" in terms.said
    assert glossaries.lint(terms)["severity"].eq("error").any()
    clean = glossaries.fix(terms)
    done = glossaries.push(clean, "Products")
    assert f"glossary_id='{done.glossary_id}'" in done.said
    assert rows(glossaries.pull(done.glossary_id)) == rows(TERMS)


def test_a_table_goes_to_the_service_and_back(connected):
    done = glossaries.push(TERMS, "t")
    assert glossaries.list()["name"].tolist() == ["t"]
    pulled = glossaries.pull(done.glossary_id)
    assert rows(pulled) == rows(TERMS)
    assert glossaries.diff(pulled, done.glossary_id).empty
    changed = pulled.assign(target=["Heim", *pulled["target"].tolist()[1:]])
    by_id, by_table = glossaries.diff(changed, done.glossary_id), glossaries.diff(changed, pulled)
    pd.testing.assert_frame_equal(pd.DataFrame(by_id), pd.DataFrame(by_table))
    assert by_id[["change", "target_before", "target"]].values.tolist() == [["changed", "Haus", "Heim"]]
    assert not glossaries.push(changed, "t", dry_run=True)["done"].all()
    assert glossaries.push(changed, "t", base=pulled)["changed"].sum() == 1
    assert rows(glossaries.pull(done.glossary_id)) == rows(changed)


def test_a_deletion_and_a_push_are_undone_and_stand_in_the_history(connected):
    done = glossaries.push(TERMS, "t")
    glossaries.delete(done.glossary_id)
    assert glossaries.list().empty
    again = glossaries.undo()
    assert rows(glossaries.pull(again.glossary_id)) == rows(TERMS)
    history = glossaries.history()
    assert history["action"].tolist() == ["create", "delete", "create"]
    assert glossaries.history(done.glossary_id)["action"].tolist() == ["delete", "create"]
    glossaries.undo(backup=history["backup"].iloc[2])
    assert glossaries.list().empty


def test_a_merge_brings_both_sides_together():
    mine, theirs = (
        TERMS.iloc[:2],
        pd.concat([TERMS, made("en", "es", ["house"], ["casa"])], ignore_index=True),
    )
    found = glossaries.merge(TERMS, mine, theirs)
    assert rows(found.table) == rows(theirs.iloc[[0, 1, 3]])


def test_texts_and_wide_tables_become_terms_and_back():
    text = glossaries.to_entries(TERMS.iloc[:2])
    assert text == "house\tHaus\ntree\tBaum"
    assert rows(glossaries.from_entries(text, source_lang="en", target_lang="de")) == rows(TERMS.iloc[:2])
    assert rows(glossaries.from_wide(glossaries.to_wide(TERMS))) == rows(TERMS)


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".xlsx", ".tbx", ".tmx"])
def test_a_written_file_is_read_as_the_same_terms(tmp_path, suffix):
    path = glossaries.write(TERMS, tmp_path / f"terms{suffix}")
    assert rows(glossaries.read(path)) == rows(TERMS)


def test_the_backups_stand_beside_the_store_and_hold_no_key(connected, running, tmp_path):
    glossaries.push(TERMS, "t")
    (file,) = (tmp_path / "backups").iterdir()
    content = file.read_bytes()
    assert running.api_key.encode() not in content
    assert running.admin_key.encode() not in content


def test_what_was_changed_on_one_service_is_not_undone_on_another(connected, running, reached_by_address):
    done = glossaries.push(TERMS, "t")
    other = reached_by_address(running)
    before = session.make_current(other)
    with pytest.raises(
        ValueError, match=r"was not changed from here \(http://127\.0\.0\.1:\d+\); .* 1 backup for other"
    ):
        glossaries.undo(done.glossary_id)
    session.make_current(before)
    assert len(glossaries.list()) == 1


@pytest.fixture
def reached_by_address(tmp_path):
    from svc_nb.secret import Secret

    opened = []

    def reach(running):
        settings = Settings(
            base_url=running.base_url, api_key=Secret(running.api_key), store=str(tmp_path / "answers.sqlite")
        )
        opened.append(session.Session(settings))
        return opened[-1]

    yield reach
    for each in opened:
        each.close()


def test_the_embedded_service_knows_its_backups_again_at_another_address(tmp_path):
    """A service that is started again has another port, but the same glossaries."""
    ids = []
    for _ in range(2):
        settings = Settings(store=str(tmp_path / "answers.sqlite"))
        with (
            service.start(folder=tmp_path / "account") as started,
            current(session.Session.embedded(started, settings)),
        ):
            found = glossaries.undo() if ids else glossaries.push(TERMS, "t")
            ids.append(found.glossary_id)
    assert ids[0] == ids[1]


def test_wrong_ids_and_tables_are_clear_errors(connected):
    with pytest.raises(errors.NotFound, match=r"There is no glossary 'nothing' on this service"):
        glossaries.pull("nothing")
    with pytest.raises(ValueError, match="expected a name for the glossary"):
        glossaries.push(TERMS)
    with pytest.raises(TypeError, match="expected a table of terms"):
        glossaries.push([("a", "b")], "t")


def test_names_are_as_good_as_ids_and_what_never_was_says_so(connected):
    glossaries.push(TERMS, "P")
    glossaries.push(TERMS.iloc[:1], "P")
    assert glossaries.history("P")["action"].tolist() == ["change", "create"]
    nothing = glossaries.history("nope")
    assert nothing.empty
    assert "'nope' was not changed from here" in repr(nothing)
    assert "svc_nb.glossaries.history() lists what was" in nothing.said
    assert not glossaries.undo("P", dry_run=True)["done"].all()
    glossaries.undo("P")
    assert rows(glossaries.pull("P")) == rows(TERMS)
    with pytest.raises(ValueError, match=r"'nope' was not changed from here"):
        glossaries.undo("nope")


OTHER_KERNEL = """
import svc_nb
from svc_nb.tabular.terms import made

svc_nb.connect()
svc_nb.glossaries.push(made("en", "de", ["a"], ["A"]), "theirs")
"""


@pytest.mark.long
def test_what_another_kernel_pushed_is_not_undone_by_chance(running, connected, reached_by_address, tmp_path):
    environ = {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key, "PATH": ""}
    environ["SVC_STORE"] = str(tmp_path / "answers.sqlite")
    forked.run([sys.executable, "-c", OTHER_KERNEL], env=environ, check=True)
    session.make_current(reached_by_address(running))
    try:
        with pytest.raises(ValueError, match="no glossary was changed from this kernel"):
            glossaries.undo()
        assert glossaries.history()["this_kernel"].tolist() == [False]
        assert glossaries.undo("theirs")["step"].tolist() == ["delete"]
        assert glossaries.history()["this_kernel"].tolist() == [True, False]
    finally:
        session.make_current(connected)


def test_what_would_be_fixed_is_reported_before_it_is():
    twice = made("en", "de", ["a ", "a"], ["A", "A"])
    found = glossaries.fixes(twice)
    assert found[["row", "before", "after"]].values.tolist()[0] == [0, "a ", "a"]
    assert len(glossaries.fix(twice)) == 1
    conflict = made("en", "de", ["a", "a"], ["A", "B"])
    assert glossaries.fixes(conflict).empty
    assert glossaries.fixes(conflict, keep="first")["row"].tolist() == [1]


def test_pairs_that_a_push_leaves_alone_are_no_rows_of_a_diff_unless_they_are_pruned(connected):
    glossaries.push(TERMS, "P")
    german = TERMS.iloc[:2]
    assert glossaries.diff(german, "P").empty
    assert "left alone (EN → FR)" in glossaries.diff(german, "P").said
    assert glossaries.diff(german, "P", prune=True)["change"].tolist() == ["removed"]
    assert glossaries.diff(german, TERMS)["change"].tolist() == ["removed"]


def test_every_name_has_help_and_at_most_two_or_three_plain_parameters():
    for name in glossaries.__all__:
        function = getattr(glossaries, name)
        plain = [
            each for each in inspect.signature(function).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        assert len(plain) <= (3 if name == "merge" else 2), name
        assert inspect.getdoc(function), name


def test_dictionaries_of_the_client_and_tables_are_each_made_from_the_other(connected):
    table = glossaries.from_entries("Zelt\ttent", source_lang="de", target_lang="en")
    there = connected.client.glossaries.create("By hand", glossaries.to_dictionaries(table))
    entries = connected.client.glossaries.entries(there.glossary_id)
    pd.testing.assert_frame_equal(glossaries.from_dictionaries(entries), table)
