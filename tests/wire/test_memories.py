from datetime import UTC, datetime

import pytest

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.wire.models import (
    MemoryJob,
    MemoryJobFile,
    MemoryJobParameters,
    MemoryJobResult,
    MemoryJobStatusMetadata,
    MemoryUpload,
)

UNKNOWN = "00000000-0000-0000-0000-000000000000"
HEADER = (
    '<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en" '
    'datatype="plaintext"/>'
)
SOON = datetime(2026, 1, 1, tzinfo=UTC)
ADDRESS = "http://127.0.0.1:{port}/file?signature=0123456789abcdef"


def tmx(count):
    body = "".join(
        f'<tu><tuv xml:lang="en"><seg>sentence {number}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>Satz {number}</seg></tuv></tu>'
        for number in range(count)
    )
    return f'<tmx version="1.4">{HEADER}<body>{body}</body></tmx>'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text(tmx(230), encoding="utf-8")
    return path


@pytest.fixture
def memory_id(client, file):
    upload = client.memories.begin_import(file.name, file.stat().st_size, name="Mine")
    client.memories.upload(upload, file)
    return client.memories.wait(upload.job_id).translation_memory_id


def test_a_file_is_imported_and_its_memory_shown_listed_and_deleted(client, memory_id):
    memory = client.memories.get(memory_id)
    assert (memory.name, memory.source_language, memory.target_languages) == ("Mine", "en", ("de",))
    assert memory.segment_count == 230
    assert memory.creation_time.tzinfo
    assert client.memories.list() == [memory]
    client.memories.delete(memory_id)
    assert client.memories.list() == []
    with pytest.raises(errors.NotFound):
        client.memories.get(memory_id)


def test_a_job_says_what_it_is_about_and_what_it_waits_for(client, file, memory_id):
    size = file.stat().st_size
    waiting = client.memories.job(client.memories.begin_import(file.name, size, name="Other").job_id)
    assert (waiting.product, waiting.operation) == ("translation_memory", "import")
    assert waiting.parameters == MemoryJobParameters(display_name="Other")
    assert waiting.source_file == MemoryJobFile("application/xml", size)
    assert waiting.results[0].status_metadata == MemoryJobStatusMetadata("upload_file")
    export = client.memories.job(client.memories.begin_export(memory_id))
    assert export.parameters == MemoryJobParameters(translation_memory_id=memory_id)
    assert (export.operation, export.source_file) == ("export", None)
    assert MemoryJob.from_wire(waiting.to_wire()) == waiting


def test_the_list_is_of_all_pages(client, file):
    file.write_text(tmx(1), encoding="utf-8")
    for number in range(27):
        upload = client.memories.begin_import("a.tmx", file.stat().st_size, name=f"number {number}")
        client.memories.upload(upload, file)
        client.memories.wait(upload.job_id)
    assert [each.name for each in client.memories.list()] == [f"number {number}" for number in range(27)]


def test_segments_come_one_by_one_from_all_pages(client, memory_id):
    found = list(client.memories.segments(memory_id))
    assert [each.source_text for each in found] == [f"sentence {number}" for number in range(230)]
    assert found[7].targets[0].target_text == "Satz 7"
    page = client.memories.segment_page(memory_id, page_size=3)
    assert (len(page.segments), page.segment_count) == (3, 230)
    filtered = list(client.memories.segments(memory_id, filter_text="SATZ 22"))
    assert len(filtered) == 11
    assert not list(client.memories.segments(memory_id, filter_text="SATZ 22", case_sensitive=True))


def test_a_loop_over_segments_that_stops_asks_for_no_more(told, scripted):
    segment = {"source_segment_id": "s", "source_text": "a", "targets": []}
    client = told({"segments": [segment] * 2, "segment_count": 9, "next_page_cursor": "c"})
    next(client.memories.segments("m"))
    assert len(scripted.asked) == 1


def test_an_export_is_streamed_into_a_file(client, memory_id, tmp_path):
    seen = []
    result = client.memories.wait(client.memories.begin_export(memory_id))
    size = client.memories.download(result, tmp_path / "out.tmx", on_bytes=seen.append)
    content = (tmp_path / "out.tmx").read_text(encoding="utf-8")
    assert size == len(content.encode()) == seen[-1]
    assert content.count("<tu>") == 230


def test_a_file_that_the_service_cannot_read_is_an_error_with_its_words(client, tmp_path):
    path = tmp_path / "bad.tmx"
    path.write_text("<tmx><body>", encoding="utf-8")
    upload = client.memories.begin_import(path.name, path.stat().st_size)
    client.memories.upload(upload, path)
    with pytest.raises(errors.ApiError, match="The job failed: The file is no well-formed XML"):
        client.memories.wait(upload.job_id)


def test_waiting_ends_when_its_time_is_up(connect, running):
    client = connect()
    upload = client.memories.begin_import("a.tmx", 1)
    with pytest.raises(errors.TimedOut, match="not completed within 0 s"):
        client.memories.wait(upload.job_id, timeout=0)


def test_an_unknown_memory_is_not_found(client):
    for call in (
        lambda each: each.get(UNKNOWN),
        lambda each: each.delete(UNKNOWN),
        lambda each: each.begin_export(UNKNOWN),
        lambda each: each.segment_page(UNKNOWN),
        lambda each: each.job(UNKNOWN),
    ):
        with pytest.raises(errors.NotFound):
            call(client.memories)


def test_the_file_goes_without_the_key(told, scripted, file):
    client = told({})
    url = Secret(ADDRESS.format(port=scripted.port))
    client.memories.upload(MemoryUpload("job", url, SOON), file)
    (asked,) = scripted.asked
    assert (asked.method, asked.target) == ("PUT", "/file?signature=0123456789abcdef")
    assert "authorization" not in asked.headers
    assert asked.headers["content-type"] == "application/xml"
    assert asked.body == file.read_bytes()


def test_a_file_is_neither_sent_nor_fetched_in_the_clear_where_the_service_has_https(told, scripted, file):
    client = told(base_url=f"https://127.0.0.1:{scripted.port}")
    kept = file.read_bytes()
    for address in (ADDRESS.format(port=scripted.port), "http://files.example/file"):
        with pytest.raises(errors.BadReply, match="neither https nor its own"):
            client.memories.upload(MemoryUpload("job", Secret(address), SOON), file)
        with pytest.raises(errors.BadReply, match="neither https nor its own"):
            client.memories.download(MemoryJobResult("completed", Secret(address)), file)
    assert scripted.asked == []
    assert file.read_bytes() == kept


def test_an_address_is_in_no_repr_and_no_error(told, scripted, file, tmp_path):
    url = ADDRESS.format(port=scripted.port)
    client = told(tries=1)
    scripted.answers = [scripted.answer(403, {"message": f"no {url}"})]
    upload = MemoryUpload("job", Secret(url), SOON)
    result = MemoryJobResult("completed", Secret(url))
    with pytest.raises(errors.Forbidden) as one:
        client.memories.upload(upload, file)
    with pytest.raises(errors.Forbidden) as other:
        client.memories.download(result, tmp_path / "x")
    for shown in (repr(upload), repr(result), str(one.value), repr(one.value), str(other.value)):
        assert "0123456789abcdef" not in shown
    assert "0123456789abcdef" not in str(result.to_wire())


def test_a_cursor_that_comes_twice_ends_the_loop(told):
    page = {"segments": [], "segment_count": 0, "next_page_cursor": "c"}
    with pytest.raises(errors.BadReply, match="same page cursor twice"):
        list(told(page).memories.segments("m"))


def test_an_answer_that_is_no_job_is_a_bad_reply(told):
    client = told({"job_id": "j", "operation": "import", "results": []})
    with pytest.raises(errors.BadReply, match="no result"):
        client.memories.wait("j")


@pytest.mark.parametrize("status", ["completed", "downloaded"])
def test_an_export_has_ended_also_where_it_was_fetched_before(told, scripted, status):
    result = {"status": status, "download_url": "https://files.example/x"}
    client = told({"job_id": "j", "operation": "export", "results": [result]})
    assert client.memories.wait("j", timeout=0).status == status


def test_an_upload_that_breaks_off_is_sent_again_and_makes_one_memory(running, connect, file):
    client = connect(first_wait=0.01)
    upload = client.memories.begin_import(file.name, file.stat().st_size)
    running.faults.add("reset", operation="PUT /v3/translation_memories/jobs/{job_id}/file", count=2)
    client.memories.upload(upload, file)
    client.memories.wait(upload.job_id)
    assert len(client.memories.list()) == 1


PAGE = b"<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in</title></head><br></html>"


def test_a_web_page_in_answer_to_the_file_is_no_upload(told, scripted, file):
    client = told()
    scripted.answers = [scripted.answer(200, PAGE, Content_Type="text/html; charset=utf-8")]
    upload = MemoryUpload("job", Secret(ADDRESS.format(port=scripted.port)), SOON)
    with pytest.raises(errors.BadReply, match="answered with a web page, so it did not reach the service"):
        client.memories.upload(upload, file)


def test_a_web_page_in_place_of_a_memory_replaces_no_file(told, scripted, tmp_path):
    from svc_nb.memories import sync

    memory = {
        "translation_memory_id": UNKNOWN,
        "name": "Mine",
        "source_language": "en",
        "target_languages": ["de"],
        "segment_count": 1,
    }
    url = ADDRESS.format(port=scripted.port)
    done = {
        "job_id": "j",
        "operation": "export",
        "results": [{"status": "completed", "download_url": url}],
    }
    path = tmp_path / "old.tmx"
    path.write_text("before")
    for call in (lambda each: sync.export(each, UNKNOWN, path), lambda each: sync.pull(each, UNKNOWN)):
        client = told(memory, {"job_id": "j"}, done)
        scripted.answers.append(scripted.answer(200, PAGE, Content_Type="text/html"))
        with pytest.raises(errors.BadReply, match=r"something other than TMX.*<html>"):
            call(client)
    assert path.read_text() == "before"
    assert not list(tmp_path.glob(".old*"))
