"""Which files are meant, where their translations go, and what is checked before anything is sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import documents
from svc_nb.documents.files import KINDS, SourceFile, checked_options, source_files
from svc_nb.documents.outputs import free_name
from svc_nb.documents.plan import items_of, look, out_folder
from svc_nb.documents.storage import DocumentRecord
from svc_nb.service import formats as served
from svc_nb.wire.models import DocumentOptions
from svc_nb.wire.models.text import DOCUMENT_OPTIONS, DocumentStatus

NOTHING = DocumentOptions()

# ---- options


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"glossary_id": "a"}, "source_lang"),
        ({"glossary_ids": ["a"]}, "source_lang"),
        ({"glossary_id": "a", "glossary_ids": ["b"], "source_lang": "DE"}, "exclude"),
        ({"glossary_ids": list("abcdef"), "source_lang": "DE"}, "1 to 5"),
        ({"glossary_ids": [], "source_lang": "DE"}, "1 to 5"),
        ({"glossary_ids": ["a,b"], "source_lang": "DE"}, "comma"),
        ({"glossary_ids": "abc", "source_lang": "DE"}, "list"),
        ({"glossary_ids": [1], "source_lang": "DE"}, "string"),
        ({"formality": "formal"}, "prefer_more"),
        ({"translation_memory_threshold": 101}, "0 to 100"),
        ({"translation_memory_threshold": -1}, "0 to 100"),
        ({"translation_memory_threshold": 7.5}, "whole number"),
        ({"translation_memory_threshold": True}, "whole number"),
        ({"enable_watermark": "yes"}, "True or False"),
        ({"source_lang": "../.."}, "there is no language"),
        ({"style_id": 3}, "string"),
        ({"formalitty": "more"}, "Did you mean 'formality'"),
    ],
)
def test_what_the_contract_excludes_is_refused_with_a_word(given, word):
    with pytest.raises((TypeError, ValueError), match=word):
        checked_options(given)


@pytest.mark.parametrize("target", [None, 3, "", "../x", "DE/..", "D", "DE-", "D\nE"])
def test_a_target_language_is_a_language_code(tmp_path, target):
    with pytest.raises((TypeError, ValueError), match="target_lang"):
        source_files(tmp_path, target_lang=target, options={})


def test_equal_languages_are_refused(tmp_path):
    with pytest.raises(ValueError, match="nothing to translate"):
        source_files(tmp_path, target_lang="de", options={"source_lang": "DE"})


# ---- files


def test_a_table_takes_options_of_rows_before_those_of_all(tmp_path):
    table = pd.DataFrame(
        {
            "path": ["a.txt", "b.txt", "c.txt"],
            "target_lang": ["FR", None, float("nan")],
            "source_lang": [None, "EN", pd.NA],
            "glossary_ids": [["x", "y"], "x, y", None],
            "translation_memory_threshold": [80.0, None, None],
            "enable_watermark": [True, None, False],
        },
        index=[5, 5, 7],
    )
    rows = source_files(table, target_lang="IT", options={"source_lang": "DE"})
    assert [each.target_lang for each in rows] == ["FR", "IT", "IT"]
    assert [each.options.source_lang for each in rows] == ["DE", "EN", "DE"]
    assert [each.options.glossary_ids for each in rows] == [("x", "y"), ("x", "y"), None]
    assert [each.options.translation_memory_threshold for each in rows] == [80, None, None]
    assert [each.options.enable_watermark for each in rows] == [True, None, False]
    assert [each.label for each in rows] == [5, 5, 7]


@pytest.mark.parametrize(
    ("table", "word"),
    [
        (pd.DataFrame({"file": ["a"]}), "'path'"),
        (pd.DataFrame({"path": [3]}), "row 0.*path"),
        (pd.DataFrame({"path": ["a.txt"], "formality": ["x"]}, index=["r"]), "row 'r'.*formality"),
        (pd.DataFrame({"path": ["a.txt"], "target_lang": ["deutsch!"]}), "row 0.*there is no language"),
        (pd.DataFrame({"path": ["a.txt"], "formalty": ["more"]}), "'formalty'.*Did you mean 'formality'"),
        (pd.DataFrame([["a.txt", "b.txt"]], columns=["path", "path"]), "several columns called 'path'"),
    ],
)
def test_a_wrong_row_is_named(table, word):
    with pytest.raises((TypeError, ValueError), match=word):
        source_files(table, target_lang="DE", options={})


def test_a_table_can_say_below_which_folder_the_folders_are_kept(tmp_path):
    table = pd.DataFrame({"path": ["/in/x/a.txt", "/in/b.txt", "/c.txt"], "root": ["/in", "/in", None]})
    rows = source_files(table, target_lang="DE", options={})
    made = [str(each.output) for each in items_of(rows, out=Path("/out"))]
    assert made == ["/out/x/a.txt", "/out/b.txt", "/out/c.txt"]
    with pytest.raises(ValueError, match="row 0: root"):
        source_files(pd.DataFrame({"path": ["/c.txt"], "root": ["/in"]}), target_lang="DE", options={})


def test_a_table_may_have_columns_of_its_own():
    table = pd.DataFrame({"path": ["a.txt"], "source": ["x"], "status": ["done"], "document_id": ["D"]})
    assert len(source_files(table, target_lang="DE", options={})) == 1


def test_a_tilde_is_the_home_of_the_person(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("x")
    table = pd.DataFrame({"path": ["~/in/a.txt"]})
    for files in ("~/in", ["~/in/a.txt"], table):
        assert [each.path for each in source_files(files, target_lang="DE", options={})] == [tmp_path / "in" / "a.txt"]
    assert out_folder("~/out") == tmp_path / "out"
    with pytest.raises(TypeError, match="out: expected the path of a folder, found int"):
        out_folder(3)


@pytest.mark.parametrize("files", [3, None, {"a": 1}, b"a.txt", [3]])
def test_what_are_no_files_is_said(files):
    with pytest.raises(TypeError, match="files: expected the path"):
        source_files(files, target_lang="DE", options={})


# ---- names


def place(path, root=None, *, out, target="DE", **options):
    each = SourceFile(Path(path), target, DocumentOptions(**options), root and Path(root))
    return str(items_of([each], out=out and Path(out))[0].output)


def test_a_translation_has_its_sources_name_unless_it_could_be_mistaken():
    assert place("/in/a.docx", "/in", out="/out") == "/out/a.docx"
    assert place("/in/x/a.DOCX", "/in", out="/out") == "/out/x/a.DOCX"
    assert place("/in/a.docx", out="/out") == "/out/a.docx"
    assert place("/in/a.docx", out="/in/de") == "/in/de/a.docx"
    assert place("/in/a.docx", out="/in") == "/in/a.DE.docx"
    assert place("/in/a.docx", "/in", out=None) == "/in/a.DE.docx"
    assert place("/in/x/a.docx", "/in", out="/in") == "/in/x/a.DE.docx"
    assert place("/in/a.docx", "/in", out="/in/de", target="en-us") == "/in/de/a.EN-US.docx"
    assert place("/in/a.pdf", "/in", out="/out", output_format="docx") == "/out/a.docx"
    assert place("/in/a.pdf", "/in", out="/out", output_format="pdf") == "/out/a.pdf"
    assert place("/in/a.doc", "/in", out="/out") == "/out/a.docx"


NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=20)


@given(NAMES.filter(lambda name: name not in (".", "..")), st.sampled_from([*KINDS, "zip", ""]))
def test_no_name_leads_out_of_the_folder_or_back_to_the_source(name, ending):
    source = Path("/in") / f"{name}.{ending}"
    for out in (None, "/out", "/in"):
        made = Path(place(source, "/in", out=out))
        assert made.parent == Path(out or "/in")
        assert made != source


def test_a_free_name_is_next_to_the_one_that_is_taken(tmp_path):
    for expected in ("a.docx", "a (2).docx", "a (3).docx"):
        assert free_name(tmp_path / "a.docx").name == expected
        (tmp_path / expected).touch()


# ---- kinds and estimates


def test_the_sizes_are_those_of_the_service():
    told = {name: (kind.free, kind.pro, kind.outputs) for name, kind in KINDS.items()}
    for refused in served.UNREADABLE:  # the embedded service cannot read them, others can
        del told[refused]
    assert told == {name: (kind.free, kind.pro, tuple(kind.outputs)) for name, kind in served.KINDS.items()}
    assert documents.formats()["extension"].tolist() == list(KINDS)


@pytest.mark.parametrize(("said", "believed"), [(None, None), (2**27, None), (-1, None), (0, 0), (90, 90)])
def test_an_estimate_that_is_nonsense_is_not_believed(said, believed):
    assert DocumentStatus("d", "translating", said).estimate == believed


def test_every_option_of_the_contract_is_there():
    assert set(DOCUMENT_OPTIONS) == {
        *("source_lang", "formality", "glossary_id", "glossary_ids", "style_id", "translation_memory_id"),
        *("translation_memory_threshold", "output_format", "enable_watermark"),
    }


# ---- the plan as a table


def test_a_plan_says_what_would_be_done_and_sends_nothing(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.", b="x" * 1_000_001, c="Da.", d="Schon da.")
    (source / "note.md").write_text("x")
    documents.translate(source / "c.txt", target_lang="EN-GB", out=tmp_path / "out", progress=False)
    (tmp_path / "out" / "d.txt").write_text("mine")
    before = one.running.traffic.requests
    plan = documents.plan(source, target_lang="EN-GB", out=tmp_path / "out")
    assert plan["status"].tolist() == ["to send", "refused", "done", "refused", "skipped"]
    assert "1 MB" in plan["error"].iloc[1]
    assert "already exists" in plan["error"].iloc[3]
    assert plan["size"].iloc[0] == len("Guten Tag.")
    assert "1 to send" in plan.said
    assert one.running.traffic.requests == before


def test_a_free_key_has_its_own_limits(office, tmp_path):
    one = office()
    (tmp_path / "a.pdf").write_bytes(b"x" * 10_000_001)
    asked = source_files(tmp_path / "a.pdf", target_lang="DE", options={})
    for free, status in ((False, "waiting"), (True, "refused")):
        found = items_of(asked, out=None)
        look(found, replace(one.workspace, free=free), again=False)
        assert found[0].status == status
    assert "Free plan is 10 MB" in found[0].error


def test_a_plan_counts_what_will_be_billed_once_for_each_content(office, tmp_path):
    office()
    (tmp_path / "a.txt").write_text("Größe  ist\n\nalles.", "utf-8")
    (tmp_path / "b.txt").write_text("Größe  ist\n\nalles.", "utf-16")
    (tmp_path / "c.html").write_text("<p>Guten <b>Tag</b>!</p>")
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "e.idml").write_bytes(b"x")
    (tmp_path / "f.txt").write_bytes((tmp_path / "a.txt").read_bytes())
    (tmp_path / "g.docx").write_bytes(b"x")
    (tmp_path / "h.srt").write_text("1\n00:00:01,000 --> 00:00:02,500\nGuten Tag!\n")
    plan = documents.plan(tmp_path, "EN", out=tmp_path / "out")
    assert plan["characters"].astype(object).where(plan["characters"].notna(), None).tolist() == [
        *(16, 16, 11, 50_000, None, 0, None, 10)
    ]
    assert plan["error"].iloc[-2] == "is not a readable .docx file (damaged?)"


def test_a_plan_says_what_was_billed_before_and_what_another_job_is_at(office, tmp_path):
    one = office()
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"Das ist {name}.", "utf-8")
    done = documents.translate(tmp_path / "a.txt", "EN", out=tmp_path / "out", progress=False)
    item = items_of(source_files(tmp_path / "b.txt", target_lang="EN", options={}), out=tmp_path / "out")
    look(item, one.workspace, again=False)
    storage = one.workspace.storage
    job = storage.enter()
    new = DocumentRecord(item[0].identity, one.workspace.address, str(item[0].path), 1, "", "EN", "{}")
    storage.claim(new, job)
    plan = documents.plan([tmp_path / "a.txt", tmp_path / "b.txt"], "EN", out=tmp_path / "out")
    assert plan["status"].tolist() == ["done", "elsewhere"]
    assert plan["billed_before"].iloc[0] == done["billed_characters"].iloc[0]
    assert pd.isna(plan["billed_before"].iloc[1])
    storage.leave(job)


@pytest.mark.parametrize(("name", "asked"), [("a.docx", "pdf"), ("a.txt", "docx"), ("a.pdf", "xlsx")])
def test_an_output_format_that_the_kind_does_not_have_is_refused(office, tmp_path, name, asked):
    office()
    (tmp_path / name).write_bytes(b"x")
    plan = documents.plan(tmp_path / name, target_lang="DE", output_format=asked)
    assert plan["status"].tolist() == ["refused"]
    assert "output_format" in plan["error"].iloc[0]


# ---- what is not sent


def rows(table, root):
    return {str(Path(row.path).relative_to(root)): (row.status, row.error) for row in table.itertuples()}


def test_links_that_lead_out_of_a_folder_are_not_followed(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.", deep__b="Gute Nacht.")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("Geheim.")
    (source / "key.txt").symlink_to(tmp_path / "secret" / "key.txt")
    (source / "out").symlink_to(tmp_path / "secret", target_is_directory=True)
    (source / "nowhere.txt").symlink_to(source / "gone.txt")
    (source / "round.txt").symlink_to(source / "round.txt")
    (source / "deep" / "up").symlink_to(source, target_is_directory=True)
    (source / "inside.txt").symlink_to(Path("deep") / "b.txt")
    for table in (
        documents.plan(source, "EN-GB", out=tmp_path / "done"),
        documents.translate(source, "EN-GB", source_lang="DE", out=tmp_path / "done", progress=False),
    ):
        said = rows(table, source)
        for name, reason in {
            "key.txt": "leads out of the folder",
            "out": "leads out of the folder",
            "nowhere.txt": "is a broken link",
            "round.txt": "is a broken link",
            "deep/up": "link to a folder",
        }.items():
            assert said[name][0] == "skipped"
            assert reason in said[name][1]
        assert {name for name, (status, _) in said.items() if status != "skipped"} == {
            "a.txt",
            "deep/b.txt",
            "inside.txt",
        }
    assert one.answered("POST /v2/document") == 2, "what a link leads to is translated once"
    assert one.billed == len("Guten Tag.Gute Nacht.")
    assert (tmp_path / "done" / "inside.txt").read_text() == (tmp_path / "done" / "deep" / "b.txt").read_text()


def test_a_table_that_names_the_folder_does_not_follow_links_out_of_it(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.")
    (tmp_path / "secret.txt").write_text("Geheim.")
    (source / "b.txt").symlink_to(tmp_path / "secret.txt")
    table = pd.DataFrame({"path": [str(source / "a.txt"), str(source / "b.txt")], "root": str(source)})
    assert documents.plan(table, "EN-GB", out=tmp_path / "out")["status"].tolist() == ["to send", "skipped"]


def test_a_folder_or_file_that_is_named_may_be_a_link(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.")
    (tmp_path / "link").symlink_to(source, target_is_directory=True)
    (tmp_path / "one.txt").symlink_to(source / "a.txt")
    plan = documents.plan([tmp_path / "link", tmp_path / "one.txt"], "EN-GB", out=tmp_path / "out")
    assert plan["status"].tolist() == ["to send", "to send"]


def test_what_the_service_does_not_take_is_never_uploaded(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.", empty="", large="x" * 1_000_001)
    for name in ("photo.png", "scan.JPG", "film.mp4"):
        (source / name).write_bytes(b"\x89PNG\r\n")
    walked = documents.translate(
        source, "EN-GB", source_lang="DE", out=tmp_path / "out", progress=False, errors="coerce"
    )
    said = rows(walked, source)
    assert {name: status for name, (status, _) in said.items()} == {
        "a.txt": "done",
        "empty.txt": "refused",
        "large.txt": "refused",
        "photo.png": "skipped",
        "scan.JPG": "skipped",
        "film.mp4": "skipped",
    }
    assert "is empty" in said["empty.txt"][1]
    assert "1 MB" in said["large.txt"][1]
    assert "beta" in said["scan.JPG"][1]
    assert "image_documents" in said["photo.png"][1]
    assert "(.mp4)" in said["film.mp4"][1]
    named = documents.plan(source / "photo.png", "EN-GB")
    assert named["status"].tolist() == ["refused"]
    assert (one.answered("POST /v2/document"), one.billed) == (1, 10)


def test_images_are_sent_for_an_account_that_is_enrolled(office, tmp_path):
    office(image_documents=True)
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    assert documents.plan(tmp_path / "photo.png", "EN-GB")["status"].tolist() == ["to send"]


@pytest.mark.parametrize(("name", "word"), [("a.doc", "save it as .docx"), ("a.png", "images cannot be read here")])
def test_what_the_embedded_service_cannot_read_is_refused_before_it_is_sent(connected, tmp_path, name, word):
    (tmp_path / name).write_bytes(b"x")
    before = connected.service.traffic.requests
    table = documents.translate(tmp_path / name, "EN-GB", progress=False, errors="coerce")
    assert table["status"].tolist() == ["refused"]
    assert word in table["error"].iloc[0]
    assert connected.service.traffic.requests == before
