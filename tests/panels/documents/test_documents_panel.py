"""The documents panel as code drives it, with the embedded service over HTTP."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from svc_nb import documents, service
from svc_nb.service.translators import installed
from tests.panels.documents.samples import SECRET, docx, folder
from tests.panels.secrecy import assert_kept_out
from tests.toy import TOY, Toy


class OnlyFrom(Toy):
    """Translates from one language."""

    def __init__(self, source: str) -> None:
        self._source = source

    def pairs(self):
        return [pair for pair in super().pairs() if pair[0] == self._source]


def statuses(panel) -> dict[str, str]:
    table = panel.table
    return dict(zip(table["file"], table["status"], strict=True))


def facts(panel) -> dict[str, str]:
    """What came of the run, as the panel shows it."""
    return {each["name"]: each["value"] for each in panel.layout.results.figures}


def pressed(panel, name: str) -> None:
    panel.layout.buttons[name].click()


def saved_files(panel) -> list[tuple[str, bytes]]:
    """What the browser would save, from here on."""
    found: list[tuple[str, bytes]] = []
    panel.line.download = lambda name, data, *, kind: found.append((name, data))
    return found


def test_files_are_checked_and_their_least_cost_is_told_before_anything_is_sent(documents_panel, tmp_path):
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    assert statuses(panel) == {
        "letter.txt": "to send",
        "report.docx": "to send",
        "scan.png": "refused",
        "film.srt": "refused",
    }
    assert "150 kB" in panel.table.set_index("file").loc["film.srt", "error"]
    assert "Translations go to translated/DE." in panel.line.text, "as a person there names it"
    assert str(tmp_path) not in panel.line.text
    assert panel.layout.buttons["go"].description == "Translate 2 files to German"
    pressed(panel, "go")
    said = panel.layout.question.notice.line.text
    assert "You are billed about 50,029 characters or more: at least 50,000 for each docx." in said
    assert "2 files can be sent (about 50,029 characters or more)" in panel.line.text
    assert [row["cells"][5] for row in panel.layout.grid.page["rows"]] == ["", "about 29", "at least 50,000", ""]
    assert "translate to German?" in said
    assert panel.layout.buttons["yes"].description == "Translate 2 files"
    assert not len(documents.pending())
    pressed(panel, "no")
    assert not panel.layout.question.waits
    assert not panel.out.exists()


def test_what_is_agreed_to_is_translated_and_lies_where_the_panel_says(documents_panel, tmp_path):
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    pressed(panel, "go")
    pressed(panel, "yes")
    assert panel.wait(60)
    assert statuses(panel) == {
        "letter.txt": "done",
        "report.docx": "done",
        "scan.png": "refused",
        "film.srt": "refused",
    }
    table = panel.table.set_index("file")
    assert table.loc["report.docx", "characters"] == 50_000
    assert table.loc["letter.txt", "output"] == str(tmp_path / "desk" / "translated" / "DE" / "letter.txt")
    assert Path(table.loc["letter.txt", "output"]).read_text("utf-8") != SECRET
    assert panel.line.text == "2 of 2 files translated; 2 cannot be sent."
    shown = {"Ready": "2 of 2 files", "Cannot be sent": "2", "Billed": "50,029 characters", "Saved in": "translated/DE"}
    assert facts(panel) == shown
    assert panel.refresh().wait(60)
    assert facts(panel) == shown, "what was billed is known after the run, too"
    assert [row["cells"][1:3] for row in panel.layout.grid.page["rows"]][1] == ["EN → DE", "Ready"]
    assert panel.table["characters"].sum() == 50_029
    assert panel.choose("FR").choose("DE").wait(60)
    assert facts(panel) == shown
    assert panel.out == tmp_path / "desk" / "translated" / "DE"


def test_what_no_translator_has_is_not_told_as_translated(documents_panel, connected, tmp_path):
    connected.service.state.translators = installed(["pseudo"])
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="JA", source_lang="EN")
    said = "There is no translator from English into Japanese here: the files would not be translated."
    assert panel.line.text == said
    assert facts(panel) == {}
    (row,) = panel.layout.grid.page["rows"]
    assert (row["cells"][2:4], row["mark"]) == (
        ["No translator", "No translator from English into Japanese"],
        "warning",
    )
    panel._choose_file(1)
    assert dict(panel.layout.detail.content["facts"])["Reason"] == "No translator from English into Japanese"
    pressed(panel, "go")
    assert f"Japanese? {said} You are billed about 29 characters." in panel.layout.question.notice.line.text
    pressed(panel, "no")
    assert panel.translate().wait(60)
    assert panel.line.text == "0 of 1 file translated; 1 NOT TRANSLATED: no translator for EN → JA."
    assert facts(panel) == {
        "Ready": "0 of 1 file",
        "Not translated": "1",
        "Billed": "29 characters",
        "Saved in": "translated/JA",
    }
    assert panel.line.kind == "error"
    meter = panel.layout.meter
    assert (meter.state, meter.text) == ("marked", "0 of 1 file translated: 1 not translated (no translator)")
    assert panel.layout.buttons["save_all"].button_style == ""
    assert panel.problem is None
    told = panel.table[["status", "translator", "error"]].iloc[0].tolist()
    assert told == ["marked", "pseudo", "NOT TRANSLATED: no translator for EN → JA"]
    (row,) = panel.layout.grid.page["rows"]
    assert row["mark"] == "warning"
    assert row["cells"][2:4] == ["Not translated", "No translator for EN → JA"]  # which is not told twice
    assert "note" not in row, "the card below has it"
    assert "Not translated" in panel._repr_mimebundle_()["text/html"]
    found = saved_files(panel)
    panel.layout.buttons["save_all"].click()
    assert panel.wait(60)
    assert found == [("letter.JA.txt", f"[JA] {SECRET}".encode())]

    connected.service.state.translators = installed(TOY)
    assert panel.refresh().wait(60)
    assert statuses(panel) == {"letter.txt": "to send"}
    again = "1 file came back not translated before and was billed 29 characters. If sent again, it is billed again."
    assert again in panel.line.text
    pressed(panel, "go")
    assert again in panel.layout.question.notice.line.text
    assert panel.translate().wait(60)
    assert statuses(panel) == {"letter.txt": "done"}
    assert "1 of 1 file translated" in panel.line.text


def test_what_was_translated_with_another_choice_is_billed_again_and_replaced_and_the_question_says_so(
    documents_panel, tmp_path
):
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="DE")
    assert panel.translate().wait(60)
    assert panel.table["file"].tolist() == ["letter.txt"]
    (row,) = panel.layout.grid.page["rows"]
    assert row["cells"][1] == "EN → DE"
    assert panel.choose(source_lang="FR").wait(60)
    said = (
        "1 file was already translated with another source language or other options for 29 characters. If sent again, "
        "it is billed again, and the new translation replaces the old one."
    )
    assert said in panel.line.text
    pressed(panel, "go")
    assert said in panel.layout.question.notice.line.text
    pressed(panel, "no")
    assert panel.choose(source_lang=None).wait(60)
    assert statuses(panel) == {"letter.txt": "done"}
    (row,) = panel.layout.grid.page["rows"]
    assert row["cells"][1] == "EN → DE", "it was found to be English, whatever was chosen since"
    assert facts(panel)["Billed"] == "29 characters"
    assert panel.choose(source_lang="EN").translate().wait(60)
    assert statuses(panel) == {"letter.txt": "done"}
    assert panel.out.joinpath("letter.txt").is_file()

    again = documents_panel(tmp_path / "in" / "letter.txt", target_lang="DE", source_lang="EN")
    assert facts(again)["Billed before"] == "29 characters"
    assert "Billed" not in facts(again)


def test_a_missing_translator_is_told_of_the_files_that_it_is_missing_for(documents_panel, connected, tmp_path):
    connected.service.state.translators = installed([OnlyFrom("en"), "pseudo"])
    place = tmp_path / "in"
    place.mkdir()
    (place / "letter.txt").write_text(SECRET, "utf-8")
    (place / "brief.txt").write_text("Der Zug nach Hamburg fährt heute leider nicht, wir bitten um Geduld.", "utf-8")
    panel = documents_panel(place, target_lang="FR")
    assert panel.translate().wait(60)
    assert statuses(panel) == {"letter.txt": "done", "brief.txt": "marked"}
    assert panel.layout.buttons["save_all"].description == "Save all 2 as zip, 1 of them not translated"
    (place / "note.txt").write_text("The harbour is cold in winter.", "utf-8")
    panel.add(place / "note.txt")
    assert panel.refresh().wait(60)
    assert panel.line.text.startswith(
        "There is no translator for DE → FR here: 1 of 2 files would not be translated. 1 file can be sent (about "
    )
    states = {row["cells"][0]: row["cells"][2] for row in panel.layout.grid.page["rows"]}
    assert states == {"letter.txt": "Ready", "brief.txt": "No translator", "note.txt": "Ready to send"}


def test_a_missing_translator_is_told_of_any_language_and_after_a_run_that_met_it(documents_panel, connected, tmp_path):
    connected.service.state.translators = installed(["pseudo"])
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="JA")
    assert panel.line.text.startswith("There is no translator into Japanese here: ")
    connected.service.state.translators = installed([OnlyFrom("fr")])
    assert panel.refresh().wait(60)
    assert panel.line.text == "1 file can be sent (about 29 characters). Translations go to translated/JA."
    connected.service.state.translators = installed([OnlyFrom("fr"), "pseudo"])
    assert panel.translate().wait(60)
    assert facts(panel)["Not translated"] == "1"
    assert panel.choose("FR").choose("JA").wait(60)
    assert facts(panel) == {}, "what came of the run is not shown any more"
    assert panel.layout.meter.state == ""
    assert panel.line.text.startswith("There is no translator for EN → JA here: ")


def test_what_is_damaged_or_in_the_way_of_another_cannot_be_sent_and_the_reason_comes_first(documents_panel, tmp_path):
    for name in ("a/report.docx", "b/report.docx", "a/broken.docx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(docx(name) if "report" in name else b"no document at all...")
    (tmp_path / "a" / "notes.md").write_text("Notes.")
    panel = documents_panel([tmp_path / "a", tmp_path / "b"], "DE")
    reasons = {Path(row["cells"][0]).name: row["cells"][3] for row in panel.layout.grid.page["rows"]}
    assert reasons["broken.docx"] == "Is not a readable .docx file (damaged?)"
    assert reasons["notes.md"] == (
        "This kind of file (.md) cannot be translated here; svc_nb.translate_notebook() translates it"
    )
    assert reasons["report.docx"].startswith(
        "Its translation would have the same name as the translation of another file: "
    )
    assert sorted(panel.table["status"]) == ["refused", "refused", "skipped", "to send"]


@pytest.mark.long
def test_folders_within_a_folder_are_kept_and_its_translations_are_not_its_documents(documents_panel, tmp_path):
    place = tmp_path / "desk"
    for name in ("a.txt", "deep/a.txt", "notes.md"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(f"This is {name}.", "utf-8")
    panel = documents_panel(".", target_lang="DE")
    assert statuses(panel) == {"a.txt": "to send", "deep/a.txt": "to send", "notes.md": "skipped"}
    assert panel.translate().wait(60)
    assert sorted(str(path.relative_to(panel.out)) for path in panel.out.rglob("*.txt")) == [
        "a.DE.txt",
        "deep/a.DE.txt",
    ]
    again = documents_panel(".", target_lang="DE")
    assert again.table["status"].tolist() == ["done", "skipped", "done"]
    assert again.layout.buttons["go"].disabled
    assert again.choose("FR").wait(60)
    assert again.plan()["status"].tolist() == ["to send", "refused", "to send"]


def test_a_folder_that_cannot_be_written_is_found_out_before_anything_is_sent(documents_panel, tmp_path):
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="DE", out="/proc/translations")
    assert statuses(panel) == {"letter.txt": "refused"}
    assert panel.line.text == "1 cannot be sent: see Reason."
    assert "read-only folder: /proc" in panel.table["error"].iloc[0]
    assert panel.layout.buttons["go"].disabled


def test_what_could_not_be_fetched_is_told_in_the_words_of_the_panel_and_stands_in_one_place(
    documents_panel, tmp_path, running
):
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="DE", out=tmp_path / "out")
    running.faults.add("status", operation="POST /v2/document/{document_id}/result", status=400)
    assert panel.translate().wait(60)
    running.faults.clear()
    (row,) = panel.layout.grid.page["rows"]
    assert row["cells"][2] == "Not fetched"
    assert row["cells"][3].endswith("Retry fetches it.")
    assert "svc_nb." not in row["cells"][3]
    assert not len(panel.pending)
    assert len(documents.pending()) == 1
    assert panel.retry_files().wait(60)
    assert statuses(panel) == {"letter.txt": "done"}


def test_the_list_is_cleared_at_once(documents_panel, tmp_path):
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    pressed(panel, "clear")
    assert panel.wait(60)
    assert not len(panel.table)


def test_an_order_that_changes_takes_the_question_back(documents_panel, tmp_path):
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    pressed(panel, "go")
    panel.choose("FR")
    assert not panel.layout.question.waits
    assert panel.wait(60)
    assert panel.plan()["target_lang"].unique().tolist() == ["FR"]
    assert panel.out.name == "FR"


@pytest.mark.long
def test_dropped_files_are_private_have_harmless_names_and_go_with_the_panel(documents_panel, dropped, tmp_path):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "../../letter.txt", SECRET.encode())
    dropped(panel, "C:\\temp\\LETTER.txt", b"Another letter.")
    dropped(panel, "report.docx", docx())
    assert list(statuses(panel)) == ["letter.txt", "LETTER (2).txt", "report.docx"]
    for path in map(Path, panel.table["path"]):
        assert path.is_relative_to(tmp_path / "dropped")
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
    assert not list((tmp_path / "desk").iterdir())
    panel.remove([1])
    assert len(list((tmp_path / "dropped").rglob("*.txt"))) == 1
    assert panel.translate().wait(60)
    assert sorted(path.name for path in panel.out.iterdir()) == ["LETTER (2).txt", "report.docx"]
    panel.close()
    assert not list((tmp_path / "dropped").iterdir())
    assert len(list(panel.out.iterdir())) == 2


def test_a_file_that_is_too_large_for_its_kind_is_refused_before_it_is_taken(documents_panel, dropped, tmp_path):
    panel = documents_panel()
    dropped(panel, "film.srt", b"x", size=150_001)
    assert "at most 150,000" in panel.layout.drop._told
    dropped(panel, "song.mp3", b"x")
    assert "files that end in .mp3" in panel.layout.drop._told
    assert not len(panel.table)
    assert not list(tmp_path.rglob("*.part"))


def test_files_that_cannot_be_added_are_named_until_new_files_are_dropped(documents_panel, dropped):
    panel = documents_panel()
    drop = panel.layout.drop
    for name, data in (("song.mp3", b"x"), ("empty.txt", b""), ("\u202egood.txt", b"Good.")):
        dropped(panel, name, data)
    drop.hear({"kind": "unreadable", "name": "pictures\u202e"})
    first, second, third = drop._told.splitlines()
    assert first.startswith("song.mp3: files that end in .mp3 are not supported here")
    assert second == "empty.txt: the file is empty."
    assert third.startswith("pictures_: the browser cannot read this. It may be a folder")
    for _ in range(20):
        drop.hear({"kind": "unreadable", "name": "folder"})
    assert drop._told.splitlines()[-1] == "… and 15 more that cannot be added."
    drop.hear({"kind": "begin"})
    assert drop._told == ""
    assert list(statuses(panel)) == ["_good.txt"]


@pytest.mark.long
def test_another_file_of_the_same_name_gets_a_number_in_the_next_panel_and_replaces_nothing(documents_panel, dropped):
    first = documents_panel(target_lang="DE")
    dropped(first, "letter.txt", SECRET.encode())
    assert first.translate().wait(60)
    before = (first.out / "letter.txt").read_bytes()
    first.close()
    second = documents_panel(target_lang="DE")
    dropped(second, "letter.txt", b"Quite another letter.")
    assert statuses(second) == {"letter (2).txt": "to send"}
    assert second.translate().wait(60)
    assert sorted(path.name for path in second.out.iterdir()) == ["letter (2).txt", "letter.txt"]
    assert (second.out / "letter.txt").read_bytes() == before


@pytest.mark.long
def test_a_language_does_not_replace_another_one_in_a_folder_that_was_given(documents_panel, tmp_path):
    place = folder(tmp_path / "in")
    panel = documents_panel(place / "letter.txt", target_lang="DE", out=tmp_path / "out")
    assert panel.translate().wait(60)
    german = (tmp_path / "out" / "letter.txt").read_bytes()
    assert facts(panel)["Ready"] == "1 of 1 file"
    assert panel.choose("FR").wait(60)
    assert facts(panel) == {}
    assert statuses(panel) == {"letter.txt": "refused"}
    assert "already exists" in panel.table["error"].iloc[0]
    assert panel.layout.buttons["go"].disabled
    with pytest.raises(ValueError, match="no file that can be sent"):
        panel.translate()
    assert panel.layout.controls.out.value == str(tmp_path / "out")
    panel.layout.controls.out.value = "french"
    assert panel.wait(60)
    assert panel.out == tmp_path / "desk" / "french"
    assert statuses(panel) == {"letter.txt": "to send"}
    assert panel.choose(out=None).wait(60)
    assert panel.out == tmp_path / "desk" / "translated" / "FR"
    assert (tmp_path / "out" / "letter.txt").read_bytes() == german


def test_a_file_that_breaks_off_leaves_nothing(documents_panel, dropped, tmp_path):
    panel = documents_panel()
    dropped(panel, "half.txt", b"x" * 1000, size=2000)
    assert len(list(tmp_path.rglob("*.part"))) == 1
    dropped(panel, "whole.txt", b"A whole file.")
    assert not list(tmp_path.rglob("*.part"))
    assert list(statuses(panel)) == ["whole.txt"]


def test_neither_texts_nor_keys_nor_names_stay_in_the_notebook(documents_panel, dropped, connected):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "secret-plan.txt", SECRET.encode())
    pressed(panel, "go")
    pressed(panel, "yes")
    assert panel.wait(60)
    assert statuses(panel) == {"secret-plan.txt": "done"}
    key = connected.settings.api_key or connected.service.api_key
    key = key if isinstance(key, str) else key.reveal()
    assert_kept_out(panel, SECRET, "Zarquon", "secret-plan", key, panel.table["path"].iloc[0])


def test_only_options_that_fit_are_offered_and_sent(documents_panel, tmp_path, connected):
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE", formality="prefer_more")
    controls = panel.layout.controls

    def shown(name: str) -> bool:
        return getattr(controls, name).layout.display != "none"

    assert shown("formality"), "it was asked for"
    assert "Formality is left out: formality is not available in German" in panel.layout.hints.text
    assert shown("enable_watermark")
    assert not shown("output_format")
    assert not shown("glossary_ids")
    panel.choose("AR")
    assert not shown("formality") or panel.layout.hints.text
    assert "Formality is left out" in panel.layout.hints.text
    assert panel.wait(60)
    assert set(panel.plan()["status"]) == {"to send", "refused"}
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.4")
    panel.add(tmp_path / "page.pdf")
    assert shown("output_format")


@pytest.mark.long
def test_a_glossary_is_offered_once_the_source_is_known(documents_panel, tmp_path, connected):
    import pandas as pd

    from svc_nb import glossaries

    terms = pd.DataFrame([("en", "de", "harbour", "Hafen")], columns=["source_lang", "target_lang", "source", "target"])
    pushed = glossaries.push(terms, "Ports")
    assert pushed is not None
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    controls = panel.layout.controls
    assert controls.glossary_ids.layout.display == "none"
    controls.source_lang.value = "EN"
    assert controls.glossary_ids.layout.display != "none"
    controls.glossary_ids.value = [controls.glossary_ids.options[0]["key"]]
    assert panel.wait(60)
    assert panel.translate().wait(60)
    assert statuses(panel)["letter.txt"] == "done"
    with pytest.raises(ValueError, match="nothing to translate"):
        panel.choose(source_lang="DE")


def test_an_output_format_is_asked_for_the_pdf_alone(documents_panel, tmp_path):
    place = folder(tmp_path / "in")
    (place / "page.pdf").write_bytes(b"%PDF-1.4 nothing")
    panel = documents_panel(place, target_lang="DE", output_format="docx")
    outputs = dict(zip(panel.table["file"], panel.table["output"], strict=True))
    assert outputs["page.pdf"].endswith("page.docx")
    assert outputs["letter.txt"].endswith("letter.txt")


@pytest.mark.long
def test_several_translations_are_saved_as_a_zip_and_one_as_itself(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    with pytest.raises(ValueError, match="no translation"):
        panel.save()
    dropped(panel, "letter.txt", SECRET.encode())
    dropped(panel, "report.docx", docx())
    assert panel.translate().wait(60)
    found = saved_files(panel)
    assert panel.save([1]).wait(10)
    assert panel.save().wait(10)
    (one, data), (name, packed) = found
    assert (one, data) == ("letter.DE.txt", (panel.out / "letter.txt").read_bytes())
    assert name == "translated-DE.zip"
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["letter.DE.txt", "report.DE.docx"]
        assert archive.read("letter.DE.txt") == data


@pytest.mark.long
def test_what_stops_a_run_is_one_line_with_its_trace(documents_panel, dropped, running):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "letter.txt", SECRET.encode())
    running.faults.add(service.Fault("status", operation="POST /v2/document", status=403))
    assert panel.translate().wait(60)
    assert panel.line.kind == "error"
    assert "trace" in panel.line.text
    assert "\n" not in panel.line.text
    assert panel.problem is not None
    running.faults.clear()
    panel.choose("DE")
    assert panel.wait(60)
    assert panel.translate().wait(60)
    assert statuses(panel) == {"letter.txt": "done"}


def test_a_retry_whose_plan_is_overtaken_sends_nothing_later(documents_panel, dropped, running):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "letter.txt", SECRET.encode())
    running.faults.add("status", operation="POST /v2/document", status=403)
    assert panel.translate().wait(60)
    running.faults.clear()
    assert statuses(panel) == {"letter.txt": "error"}
    panel.retry_files()
    assert panel.choose(None).wait(60)
    assert panel.choose("FR").wait(60)
    assert statuses(panel) == {"letter.txt": "to send"}
    assert not panel.out.exists(), "nobody was asked about French"
    running.faults.add("status", operation="POST /v2/document", status=403)
    assert panel.translate().wait(60)
    running.faults.clear()
    assert panel.retry_files().wait(60)
    assert statuses(panel) == {"letter.txt": "done"}


def test_a_service_that_says_nothing_of_its_languages_is_told(documents_panel, tmp_path, running):
    running.faults.add(service.Fault("status", operation="GET /v3/languages", status=403))
    panel = documents_panel(folder(tmp_path / "in"), target_lang="DE")
    assert panel.line.kind == "error"
    assert "trace" in panel.line.text
    running.faults.clear()
    panel.refresh()
    assert panel.wait(60)
    assert "can be sent" in panel.line.text


@pytest.mark.long
def test_what_is_paid_and_gone_is_paid_again_only_after_a_question(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "letter.txt", SECRET.encode())
    assert panel.translate().wait(60)
    (panel.out / "letter.txt").unlink()
    panel.choose("DE")
    assert panel.wait(60)
    assert statuses(panel) == {"letter.txt": "lost"}
    assert panel.layout.buttons["go"].disabled
    dropped(panel, "report.docx", docx())
    pressed(panel, "again")
    assert "will be billed again" in panel.layout.question.notice.line.text
    pressed(panel, "yes")
    assert panel.wait(60)
    assert statuses(panel) == {"letter.txt": "done", "report.docx": "to send"}


def test_a_slip_is_raised_at_once_and_nothing_opens(connected):
    from svc_nb import panels

    with pytest.raises(TypeError, match="formality"):
        panels.Documents(formalty="more")
    with pytest.raises(ValueError, match="cannot be combined"):
        panels.Documents(glossary_id="a", glossary_ids=["b"])
    with pytest.raises(ValueError, match="there is no language 'no such language'"):
        panels.Documents(target_lang="no such language")
