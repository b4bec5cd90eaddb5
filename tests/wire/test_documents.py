import io
import pickle

import pytest

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.wire.models import DocumentHandle, DocumentOptions
from tests.waiting import until

KEY = "0123456789ABCDEF" * 4
HANDLE = DocumentHandle("D" * 32, Secret(KEY))
UPLOADED = {"document_id": "D" * 32, "document_key": KEY}


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Guten Tag.")
    return path


def until_done(client, handle):
    under_way = ("queued", "translating")
    return until(lambda: (found := client.documents.status(handle)).status not in under_way and found)


def test_a_document_is_uploaded_translated_and_downloaded_once(client, letter, tmp_path):
    handle = client.documents.upload(letter, "EN-GB", source_lang="DE")
    status = until_done(client, handle)
    assert status.done
    assert status.billed_characters == len("Guten Tag.")
    assert client.documents.download(handle, tmp_path / "out.txt") == len("[EN-GB] Guten Tag.")
    assert (tmp_path / "out.txt").read_text() == "[EN-GB] Guten Tag."
    with pytest.raises(errors.NotFound):
        client.documents.status(handle)
    with pytest.raises(errors.NotFound):
        client.documents.download(handle, tmp_path / "again.txt")


def test_a_stream_is_uploaded_under_the_name_it_is_given(client, tmp_path):
    handle = client.documents.upload(io.BytesIO(b"Guten Tag."), "EN-GB", filename="a.txt")
    assert until_done(client, handle).done
    with pytest.raises(TypeError, match="filename"):
        client.documents.upload(io.BytesIO(b"Guten Tag."), "EN-GB")
    with pytest.raises(TypeError, match="binary stream"):
        client.documents.upload(3, "EN-GB", filename="a.txt")


def test_every_option_is_a_part_of_the_form(told, scripted, letter):
    options = DocumentOptions(
        source_lang="DE",
        formality="prefer_more",
        glossary_ids=["g-1", "g-2"],
        style_id="s-1",
        translation_memory_id="t-1",
        translation_memory_threshold=80,
        output_format="docx",
        enable_watermark=True,
    )
    told(UPLOADED).documents.upload(letter, "FR", options=options, filename="Brief.pdf", reporting_tag="team")
    body = scripted.asked[0].body.decode()
    for name, value in {**options.to_wire(), "glossary_ids": "g-1,g-2", "enable_watermark": "true"}.items():
        assert f'name="{name}"\r\n\r\n{value}\r\n' in body
    assert 'filename="Brief.pdf"' in body
    assert scripted.asked[0].headers["x-service-reporting-tag"] == "team"


def test_a_glossary_needs_the_source_language(client, letter):
    with pytest.raises(errors.BadRequest, match="source_lang"):
        client.documents.upload(letter, "EN-GB", glossary_id="0" * 8)


def test_a_wrong_key_finds_nothing(client, letter):
    handle = client.documents.upload(letter, "EN-GB")
    wrong = DocumentHandle(handle.document_id, Secret("0" * 64))
    with pytest.raises(errors.NotFound):
        client.documents.status(wrong)


def test_what_is_not_done_cannot_be_downloaded_yet(scripted, told, tmp_path):
    client = told({}, tries=1)
    scripted.answers = [scripted.answer(503, {"message": "Document translation is not done"})]
    with pytest.raises(errors.Unavailable, match="not done"):
        client.documents.download(HANDLE, tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(("body", "media"), [(b"<h1>Sign in</h1>", "text/html; charset=utf-8"), (b"", "text/plain")])
def test_what_a_proxy_answers_is_no_translation(scripted, told, tmp_path, body, media):
    client = told({}, tries=1)
    scripted.answers = [scripted.answer(body=body, Content_Type=media)]
    with pytest.raises(errors.BadReply, match="Expected a file"):
        client.documents.download(HANDLE, tmp_path / "out.docx", page=False)


def test_a_translation_can_be_a_web_page(scripted, told, tmp_path):
    client = told({})
    scripted.answers = [scripted.answer(body=b"<p>", Content_Type="text/html")]
    assert client.documents.download(HANDLE, tmp_path / "out.html") == 3


def test_a_key_is_shown_nowhere(scripted, told, caplog):
    caplog.set_level("DEBUG")
    client = told(UPLOADED, tries=2, first_wait=0.001)
    handle = HANDLE
    assert KEY not in repr(handle) + str(handle)
    with pytest.raises(TypeError):
        pickle.dumps(handle)
    scripted.answers = [scripted.answer(500, {"message": f"no document for {KEY} and {KEY.lower()}"})]
    with pytest.raises(errors.ServerError) as caught:
        client.documents.status(handle)
    assert "no document for ****" in str(caught.value)
    assert KEY not in caplog.text


@pytest.mark.parametrize("answer", [{}, {"document_id": "D"}, {"document_id": "D", "document_key": 3}, []])
def test_an_answer_that_is_no_handle_is_told_without_its_key(told, letter, answer):
    with pytest.raises(errors.BadReply):
        told(answer).documents.upload(letter, "DE")


@pytest.mark.parametrize("target", [None, 3])
def test_a_target_language_is_a_string(client, letter, target):
    with pytest.raises(TypeError, match="target_lang"):
        client.documents.upload(letter, target)


def test_a_name_that_comes_with_the_file_decides_nothing(scripted, told, tmp_path):
    client = told({})
    evil = 'attachment; filename="../evil.txt"'
    scripted.answers = [scripted.answer(body=b"content", Content_Disposition=evil)]
    (tmp_path / "out").mkdir()
    client.documents.download(HANDLE, tmp_path / "out" / "mine.txt")
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["mine.txt"]
