"""svc_nb.keys, as an administrator uses it."""

from __future__ import annotations

import copy
import pickle
import signal
import subprocess
import sys
import traceback
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from svc_nb import errors, keys, service
from svc_nb.keys.changes import plan_limits
from svc_nb.secret import Secret
from svc_nb.session import Session
from svc_nb.settings import Settings
from svc_nb.wire.client.admin import Admin
from tests.sessions import current

CAPS = ["characters", "speech_to_text_milliseconds"]


@pytest.fixture
def few(running, connected):
    """The table of four keys: the owner's, shop, and two called team."""
    for label in ("shop", "team", "team"):
        running.create_key(label)
    return keys.list()


def caps(label="shop"):
    found = keys.list()
    return (
        found.loc[found["label"] == label, CAPS]
        .astype(object)
        .where(lambda cells: cells.notna(), None)
        .to_numpy()
        .tolist()
    )


class Forgetful(Admin):
    """Sends for a service that clears the cap that is not sent."""

    def set_limits(self, key_id, *, characters=None, speech_to_text_milliseconds=None):
        return super().set_limits(
            key_id, characters=characters, speech_to_text_milliseconds=speech_to_text_milliseconds
        )


class Breaking(Admin):
    """Loses the connection, or is interrupted, when it comes to one key."""

    fails_on = None
    fails_by = errors.Unreachable

    def set_limits(self, key_id, **caps):
        if key_id == self.fails_on:
            raise self.fails_by("No answer")
        return super().set_limits(key_id, **caps)


def test_its_names_are_those_it_lists():
    for name in keys.__all__:
        assert getattr(keys, name).__doc__


def test_all_keys_are_a_table_with_times_in_utc_and_caps_that_may_be_missing(few):
    assert [*few] == ["key_id", "label", "creation_time", "deactivated_time", "is_deactivated", *CAPS]
    assert few["label"].tolist() == ["Notebook", "shop", "team", "team"]
    assert str(few["creation_time"].dtype) == str(few["deactivated_time"].dtype) == "datetime64[s, UTC]"
    assert few["deactivated_time"].isna().all()
    assert [few[cap].dtype for cap in CAPS] == ["Int64", "Int64"]
    assert few["is_deactivated"].dtype == np.bool_
    assert few.said.startswith("4 keys, no caps. Next: ")
    few.loc[:1, "characters"] = [0, 5]
    keys.set_limits(few)
    assert keys.list().said.startswith("4 keys, 1 with a cap, 1 blocked. Next: ")


def test_a_dry_run_says_in_words_what_would_change_and_sends_nothing(few):
    few.loc[1, CAPS] = [500_000, 5_400_000]
    few.loc[2, "characters"] = 0
    found = keys.set_limits(few, dry_run=True)
    assert found["change"].tolist() == [
        "500,000 characters a month",
        "90 minutes of speech a month",
        "blocked",
    ]
    assert found["limit"].tolist() == [*CAPS, "characters"]
    assert found["before"].isna().all()
    assert found["after"].tolist() == [500_000, 5_400_000, 0]
    assert not found["done"].any()
    assert found.said.startswith("Dry run, nothing was sent: 'shop' 500,000 characters a month; 'shop' 90 minutes")
    assert keys.list()[CAPS].isna().all(axis=None)
    with pytest.raises(ValueError, match="nothing to undo"):
        keys.undo()


def test_caps_are_set_removed_and_undone(few):
    few.loc[1, "characters"] = 500_000
    assert keys.set_limits(few)["done"].all()
    assert caps() == [[500_000, None]]
    few.loc[1, CAPS] = [None, 0]
    found = keys.set_limits(few)
    assert found["change"].tolist() == ["no cap", "blocked"]
    assert found.said == ("Done: 'shop' no cap; 'shop' blocked for speech. Next: svc_nb.keys.undo() undoes this.")
    assert caps() == [[None, 0]]
    back = keys.undo()
    assert back["change"].tolist() == ["500,000 characters a month", "no cap"]
    assert caps() == [[500_000, None]]
    keys.undo()
    assert caps() == [[None, None]]
    with pytest.raises(ValueError, match="nothing to undo"):
        keys.undo()


def test_a_table_that_changes_nothing_sends_nothing(few):
    found = keys.set_limits(few)
    assert len(found) == 0
    assert found.said == "Nothing to do: all caps already have these values."


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([5.0], 5),
        ([np.int32(5)], 5),
        (pd.array([5], dtype="Int64"), 5),
        (["500000"], "text, not a number"),
        ([5.5], "not a whole number"),
        ([True], "not a whole number"),
        ([float("inf")], "not a whole number"),
        ([-1], "negative"),
        ([10**30], "too large"),
        ([float("nan")], None),
        ([None], None),
        ([pd.NA], None),
    ],
)
def test_a_cap_is_a_whole_number_or_none(few, cells, expected):
    few.loc[1, "characters"] = 7
    keys.set_limits(few)
    table = pd.DataFrame({"key_id": few["key_id"].iloc[[1]].tolist(), "characters": cells}, index=["here"])
    if isinstance(expected, str):
        with pytest.raises(errors.InvalidRows, match=f"row here: characters is {expected}.*Nothing was sent") as found:
            keys.set_limits(table)
        assert found.value.rows == ["here"]
        assert caps() == [[7, None]]
    else:
        keys.set_limits(table)
        assert caps() == [[expected, None]]


def test_rows_that_name_no_key_or_one_twice_are_refused_before_anything_is_sent(few):
    ids = few["key_id"].tolist()
    table = pd.DataFrame({"key_id": [ids[1], "nobody", None, ids[2], ids[2]], "characters": [1, 2, 3, 4, -5]})
    with pytest.raises(errors.InvalidRows) as found:
        keys.set_limits(table)
    problems = found.value.findings
    assert problems["row"].tolist() == [1, 2, 3, 4, 4]
    assert problems["problem"].tolist() == [
        "there is no key with this key_id",
        "the key_id is missing",
        "the key_id appears 2 times",
        "the key_id appears 2 times",
        "characters is negative (-5)",
    ]
    assert keys.list()[CAPS].isna().all(axis=None)


@pytest.mark.parametrize("table", [pd.DataFrame({"key_id": []}), pd.DataFrame({"characters": [1]})])
def test_a_table_without_keys_or_caps_is_refused(few, table):
    with pytest.raises(ValueError, match="expected a table with the column key_id and one or both of"):
        keys.set_limits(table)
    with pytest.raises(TypeError, match="expected a table"):
        keys.set_limits({"key_id": "x"})


def test_a_deactivated_key_may_stand_in_the_table_but_not_change(few):
    keys.deactivate("shop", sure=True)
    table = keys.list()
    table.loc[2, "characters"] = 5
    assert len(keys.set_limits(table)) == 1
    table.loc[1, "characters"] = 5
    with pytest.raises(errors.InvalidRows, match="row 1: the key is permanently deactivated"):
        keys.set_limits(table)


def test_labels_in_the_table_are_not_changed_and_that_is_said(few):
    few.loc[1, "label"] = "other"
    assert "Use svc_nb.keys.rename" in keys.set_limits(few).said
    assert keys.list()["label"].tolist() == ["Notebook", "shop", "team", "team"]


def test_an_empty_label_in_a_csv_file_is_no_other_label(few, connected):
    key = replace(connected.admin.keys()[1], label="")
    table = pd.DataFrame({"key_id": [key.key_id], "label": [np.nan], "characters": [5.0]})
    assert not plan_limits([key], table).renamed


def test_what_someone_changed_since_is_not_overwritten_by_undo(few, connected):
    few.loc[1, "characters"] = 5
    few.loc[2, "characters"] = 6
    keys.set_limits(few)
    connected.admin.set_limits(few["key_id"].iloc[1], characters=99)
    with pytest.raises(
        errors.InvalidRows, match=r"'shop' .*someone has changed it since: 99 characters a month"
    ) as found:
        keys.undo()
    assert found.value.findings["label"].tolist() == ["shop"]
    assert caps() == [[99, None]]
    assert [6, None] in caps("team")
    connected.admin.set_limits(few["key_id"].iloc[1], characters=5, speech_to_text_milliseconds=1)
    keys.undo()  # another cap was changed, which is not touched
    assert caps() == [[None, 1]]


# ---- changes that cannot be undone


@pytest.fixture
def blocked(few, connected):
    """Two changes: shop and a team key got caps; then both got others, and shop was changed by somebody else."""
    few.loc[1:2, "characters"] = [5, 6]
    keys.set_limits(few)
    few.loc[1:2, "speech_to_text_milliseconds"] = [50, 60]
    keys.set_limits(few)
    connected.admin.set_limits(few["key_id"].iloc[1], speech_to_text_milliseconds=99)
    return few


def test_an_undo_that_is_refused_says_how_to_continue(blocked):
    for _ in range(2):
        with pytest.raises(
            errors.InvalidRows, match=r"Nothing was changed. svc_nb.keys.undo\(skip=True\) leaves"
        ) as found:
            keys.undo()
        assert "svc_nb.keys.undo(skip=True)" in found.value.findings.said
    assert caps() == [[5, 99]]


def test_what_cannot_be_undone_is_left_and_older_changes_can_be_undone_then(blocked):
    done = keys.undo(skip=True)
    assert done["key_id"].tolist() == [blocked["key_id"].iloc[2]]
    assert done.said.startswith("Undone. 1 key as before: 'team' no cap. Left as it is: 'shop' (")
    assert done.said.endswith("Next: svc_nb.keys.undo() undoes the change before this one.")
    assert (caps(), caps("team")) == ([[5, 99]], [[6, None], [None, None]])
    assert keys.undo()["label"].tolist() == ["shop", "team"]
    assert (caps(), caps("team")) == ([[None, 99]], [[None, None], [None, None]])
    with pytest.raises(ValueError, match="nothing to undo"):
        keys.undo(skip=True)


def test_a_change_of_which_nothing_can_be_undone_is_let_go(few):
    keys.rename(few["key_id"].iloc[2], "crew")
    few.loc[1, "characters"] = 5
    keys.set_limits(few)
    keys.deactivate("shop", sure=True)
    with pytest.raises(errors.InvalidRows, match="the key has since been deactivated"):
        keys.undo()
    gone = keys.undo(skip=True)
    assert len(gone) == 0
    assert gone.said.startswith("Nothing was undone. Left as it is: 'shop' (")
    assert keys.undo()["after"].tolist() == ["team"]


def test_skip_changes_nothing_where_all_can_be_undone(few):
    few.loc[1:2, "characters"] = [5, 6]
    keys.set_limits(few)
    assert keys.undo(skip=True).said.startswith("Undone. 2 keys as before: ")
    assert keys.list()[CAPS].isna().all(axis=None)


def test_a_key_that_the_service_refuses_to_change_back_does_not_block_the_others(few, running):
    few.loc[1:3, "characters"] = [5, 6, 7]
    keys.set_limits(few)
    refusal = {"status": 400, "operation": "PUT /v2/admin/developer-keys/limits", "count": 1}
    running.faults.add("status", **refusal)
    with pytest.raises(errors.BadRequest) as found:
        keys.undo()
    assert found.value.__notes__[0] == "No key was changed."
    assert found.value.__notes__[1].startswith("svc_nb.keys.undo(skip=True) leaves")
    running.faults.add("status", **refusal)
    done = keys.undo(skip=True)
    assert done["label"].tolist() == ["team", "team"]
    assert "Left as it is: 'shop' (" in done.said
    assert "the service refuses it (400" in done.said
    assert (caps(), caps("team")) == ([[5, None]], [[None, None]] * 2)


def test_skip_does_not_let_go_of_a_change_when_the_connection_breaks(few, connected):
    few.loc[1:2, "characters"] = [5, 6]
    connected.admin = Breaking(connected.client.transport)
    keys.set_limits(few)
    connected.admin.fails_on = few["key_id"].iloc[2]
    with pytest.raises(errors.Unreachable) as found:
        keys.undo(skip=True)
    assert found.value.__notes__[0].endswith("Run it again to do the rest.")
    connected.admin.fails_on = None
    assert keys.undo()["label"].tolist() == ["team"]


# ---- keys without a label


class Nameless(Admin):
    """Asks a service that writes null for the label of a key that nobody named."""

    def keys(self):
        listed = super().keys()
        return [replace(key, label=None) if key.label == "shop" else key for key in listed]


def test_a_key_without_a_label_is_in_the_table_and_can_be_capped(few, connected):
    connected.admin = Nameless(connected.client.transport)
    found = keys.list()
    assert found["label"].isna().tolist() == [False, True, False, False]
    assert found["label"].dtype == few["label"].dtype
    found.loc[1, "characters"] = 5
    done = keys.set_limits(found)
    assert done.said == ("Done: (no label) 5 characters a month. Next: svc_nb.keys.undo() undoes this.")
    assert done["label"].isna().tolist() == [True]
    assert "(no label) no cap" in keys.undo().said
    assert keys.deactivate(few["key_id"].iloc[1], sure=True)["is_deactivated"].tolist() == [True]


def test_that_a_key_had_no_label_cannot_be_given_back(few, connected):
    connected.admin = Nameless(connected.client.transport)
    keys.rename(few["key_id"].iloc[2], "crew")
    done = keys.rename(few["key_id"].iloc[1], "branch")
    assert done["before"].isna().tolist() == [True]
    assert done.said.endswith("is now called 'branch'. This cannot be undone, because it had no label.")
    with pytest.raises(errors.InvalidRows, match="it had no label before, and a label cannot be removed"):
        keys.undo()
    assert keys.undo(skip=True).said.startswith("Nothing was undone. Left as it is: (no label) (")
    assert keys.undo()["after"].tolist() == ["team"]
    assert keys.list()["label"].tolist()[1:3] == ["branch", "team"]


def test_a_label_that_someone_took_away_is_not_overwritten_by_undo(few, connected):
    keys.rename(few["key_id"].iloc[2], "crew")
    connected.admin.rename_key(few["key_id"].iloc[2], "shop")
    connected.admin = Nameless(connected.client.transport)
    with pytest.raises(errors.InvalidRows, match=r"someone has changed it since: called \(no label\)"):
        keys.undo()


# ---- when something breaks


@pytest.mark.parametrize("failure", [errors.Unreachable, KeyboardInterrupt])
def test_a_failure_in_the_middle_says_what_was_done_and_undo_takes_that_back(few, connected, failure):
    few.loc[1:3, "characters"] = [5, 6, 7]
    connected.admin = Breaking(connected.client.transport)
    connected.admin.fails_on, connected.admin.fails_by = few["key_id"].iloc[2], failure
    with pytest.raises(failure) as found:
        keys.set_limits(few)
    note = found.value.__notes__[0]
    assert note.startswith(
        "1 of 3 keys changed ('shop'). There was no response for 'team', so it may or may not be done."
    )
    connected.admin.fails_on = None
    assert caps() == [[5, None]]
    assert keys.set_limits(few, dry_run=True)["after"].tolist() == [6, 7]
    assert keys.undo()["label"].tolist() == ["shop"]
    assert keys.list()[CAPS].isna().all(axis=None)


def test_an_undo_that_was_interrupted_continues_when_it_is_run_again(few, connected):
    few.loc[1:3, "characters"] = [5, 6, 7]
    connected.admin = Breaking(connected.client.transport)
    keys.set_limits(few)
    connected.admin.fails_on = few["key_id"].iloc[2]
    with pytest.raises(errors.Unreachable):
        keys.undo()
    assert keys.list()["characters"].isna().sum() == 2
    connected.admin.fails_on = None
    assert keys.undo()["label"].tolist() == ["team", "team"]
    assert keys.list()[CAPS].isna().all(axis=None)


def test_a_refusal_of_the_first_key_leaves_nothing_to_undo(few, running):
    few.loc[1, "characters"] = 5
    running.faults.add("status", status=400, operation="PUT /v2/admin/developer-keys/limits", count=1)
    with pytest.raises(errors.BadRequest) as found:
        keys.set_limits(few)
    assert found.value.__notes__ == ["No key was changed."]
    with pytest.raises(ValueError, match="nothing to undo"):
        keys.undo()


def test_an_answer_that_was_lost_is_known_by_undo_as_done(few, running):
    few.loc[1, "characters"] = 5
    running.faults.add("truncate", operation="PUT /v2/admin/developer-keys/limits", count=1)
    with pytest.raises(errors.BadReply) as found:
        keys.set_limits(few)
    assert "it may or may not be done" in found.value.__notes__[0]
    assert caps() == [[5, None]]
    keys.undo()
    assert caps() == [[None, None]]


def test_a_service_that_clears_what_is_not_sent_is_sent_both(few, connected):
    few.loc[1, CAPS] = [5, 6]
    keys.set_limits(few)
    connected.admin = Forgetful(connected.client.transport)
    few.loc[1, "characters"] = 7
    assert keys.set_limits(few)["limit"].tolist() == ["characters"]
    assert caps() == [[7, 6]]
    keys.undo()
    assert caps() == [[5, 6]]


# ---- the life of a key


def test_a_new_key_works_and_is_never_shown(connected, running):
    made = keys.create("shop")
    assert isinstance(made.api_key, Secret)
    secret = made.api_key.reveal()
    opened = Session(Settings(base_url=running.base_url, api_key=made.api_key))
    opened.client.account.usage()
    opened.close()
    for said in (repr(made), str(made), made._repr_html_(), repr(vars(made)), repr(made.key), repr([made])):
        assert secret not in said
    assert made.key_id in repr(made)
    assert "'shop'" in repr(made)
    assert "Next: .api_key.reveal()" in made.said
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(made)
    with pytest.raises(TypeError, match="cannot be pickled"):
        copy.deepcopy(made)
    assert keys.list()["key_id"].tolist()[-1] == made.key_id
    assert "Other keys have the same label" in keys.create("shop").said
    assert keys.create().label


@pytest.mark.parametrize("label", ["", "  ", "x" * 1025])
def test_a_label_that_no_key_can_have_is_refused(few, label):
    for call in (keys.create, lambda label: keys.rename("shop", label)):
        with pytest.raises(ValueError, match="label: expected 1 to 1,024 characters"):
            call(label)
    assert len(keys.list()) == 4


@pytest.mark.parametrize(("fault", "made"), [("truncate", 1), ("reset", 0)])
def test_a_lost_answer_makes_no_second_key_and_says_so(few, running, fault, made):
    operation = "POST /v2/admin/developer-keys"
    running.faults.add(fault, operation=operation)
    with pytest.raises((errors.BadReply, errors.Unreachable)) as found:
        keys.create("lost")
    assert "It is not known whether the key was created" in found.value.__notes__[0]
    assert keys.list()["label"].tolist().count("lost") == made


def test_a_refused_key_is_not_said_to_be_in_doubt(few, running):
    running.faults.add("status", status=400, operation="POST /v2/admin/developer-keys", count=1)
    with pytest.raises(errors.BadRequest) as found:
        keys.create("x")
    assert not hasattr(found.value, "__notes__")


def test_a_key_is_renamed_by_id_or_label_and_named_back(few, connected):
    done = keys.rename("shop", "<b>$x$</b>")
    assert done[["before", "after"]].to_numpy().tolist() == [["shop", "<b>$x$</b>"]]
    assert "<b>" not in done._repr_html_()
    assert keys.list()["label"].tolist()[1] == "<b>$x$</b>"
    assert keys.rename(few["key_id"].iloc[1], "<b>$x$</b>").said.startswith("Nothing to do")
    assert keys.undo()["after"].tolist() == ["shop"]
    assert keys.list()["label"].tolist()[1] == "shop"
    keys.rename("shop", "a")
    connected.admin.rename_key(few["key_id"].iloc[1], "b")
    with pytest.raises(errors.InvalidRows, match="someone has changed it since: called 'b'"):
        keys.undo()


def test_the_label_of_a_deactivated_key_is_undone_too(few):
    keys.deactivate("shop", sure=True)
    keys.rename("shop", "old shop")
    assert keys.undo()["after"].tolist() == ["shop"]
    assert "shop" in keys.list()["label"].tolist()


def test_a_name_that_several_keys_have_or_none_is_refused(few):
    with pytest.raises(ValueError, match=r"2 keys have the label 'team'\. Name one by its key_id \(.*, .*\)"):
        keys.rename("team", "x")
    with pytest.raises(ValueError, match="there is no key with the key_id or label 'nobody'"):
        keys.deactivate("nobody", sure=True)
    with pytest.raises(TypeError, match="one key, found Series"):
        keys.deactivate(few["key_id"], sure=True)


def test_a_key_ends_only_when_one_is_sure(few):
    for sure in (False, 1, "yes"):
        with pytest.raises(ValueError, match=r"immediately and permanently.*sure=True"):
            keys.deactivate("shop", sure=sure)
    assert not keys.list()["is_deactivated"].any()
    ended = keys.deactivate("shop", sure=True)
    assert ended["is_deactivated"].tolist() == [True]
    assert keys.list()["deactivated_time"].notna().tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match="is already deactivated, since 2"):
        keys.deactivate("shop", sure=True)


def test_without_an_administrators_key_one_line_says_what_to_set(running, few):
    with current(Session(Settings(base_url=running.base_url, api_key=Secret(running.api_key)))):
        for call in (keys.list, keys.create, lambda: keys.deactivate("shop"), lambda: keys.set_limits(few)):
            with pytest.raises(errors.SettingsError, match="set admin_key= or SVC_ADMIN_KEY") as found:
                call()
            assert running.api_key not in "".join(traceback.format_exception(found.value))


def test_what_a_kernel_changed_before_it_was_killed_can_be_undone_from_another(few, running, connected):
    code = """
import os, signal, sys
from svc_nb import keys
from svc_nb.secret import Secret
from svc_nb.session import Session, make_current
from svc_nb.settings import Settings
base_url, admin_key, store = sys.argv[1:]
make_current(Session(Settings(base_url=base_url, api_key=Secret(admin_key), admin_key=Secret(admin_key), store=store)))
table = keys.list()
table.loc[1:2, "characters"] = [5, 6]
keys.set_limits(table)
os.kill(os.getpid(), signal.SIGKILL)
"""
    settings = replace(connected.settings, base_url=running.base_url)
    arguments = [running.base_url, running.admin_key, settings.store_path]
    assert subprocess.run([sys.executable, "-c", code, *arguments], check=False).returncode == -signal.SIGKILL
    with current(Session(settings)):
        assert caps() == [[5, None]]
        with pytest.raises(ValueError, match=r"nothing to undo.*svc_nb.keys.history\(\)"):
            keys.undo()
        (change,) = keys.history().to_dict("records")
        assert (change["name"], change["finished"], change["this_kernel"]) == ("'shop', 'team'", True, False)
        assert keys.undo(backup=change["backup"])["label"].tolist() == ["shop", "team"]
        assert caps() == [[None, None]]
        assert keys.history().empty
        with pytest.raises(ValueError, match="there is no backup"):
            keys.undo(backup=change["backup"])


def test_what_was_done_on_one_service_is_not_undone_on_another(few, running):
    few.loc[1, "characters"] = 5
    keys.set_limits(few)
    with (
        service.start(memory=True) as other,
        current(Session.embedded(other)),
        pytest.raises(ValueError, match="nothing to undo"),
    ):
        keys.undo()
    keys.undo()
    assert caps() == [[None, None]]


def test_a_new_service_on_the_port_of_an_earlier_one_has_nothing_to_undo(tmp_path):
    settings = Settings(store=str(tmp_path / "answers.sqlite"))
    with service.start(memory=True) as first, current(Session.embedded(first, settings)):
        port = first.port
        listed = keys.list()
        listed["characters"] = 5
        keys.set_limits(listed)
    with (
        service.start(memory=True, port=port) as second,
        current(Session.embedded(second, settings)),
        pytest.raises(ValueError, match="nothing to undo"),
    ):
        keys.undo()
