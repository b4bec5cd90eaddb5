"""An unmodified client of the public API family imports, reads, uses, exports and deletes a translation memory."""

import io

import deepl
import pytest

from svc_nb import service
from tests.waiting import until

TMX = b"""<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en"
srclang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="en"><seg>Good morning</seg></tuv><tuv xml:lang="de"><seg>Moin</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>The shoe fits.</seg></tuv><tuv xml:lang="de"><seg>Der Schuh passt.</seg></tuv></tu>
</body></tmx>"""


@pytest.fixture
def client():
    with service.start(memory=True, schemes=("Service-Auth-Key", "DeepL-Auth-Key")) as running:
        made = deepl.DeepLClient(running.api_key, server_url=running.base_url, send_platform_info=False)
        yield made
        made.close()


def ended(client, job_id):
    return until(lambda: (job := client.get_translation_memory_job(job_id)).done and job)


def test_it_imports_reads_uses_exports_and_deletes_a_memory(client):
    begun = client.create_translation_memory_import("shoes.tmx", len(TMX), display_name="Shoes")
    client.upload_translation_memory_file(begun, io.BytesIO(TMX))
    job = ended(client, begun.job_id)
    assert job.ok
    memory = client.get_translation_memory(job.result.translation_memory_id)
    assert (memory.name, memory.segment_count) == ("Shoes", 2)
    assert [each.name for each in client.list_translation_memories()] == ["Shoes"]
    page = client.list_translation_memory_segments(memory, filter_text="shoe FITS")
    assert [each.source_text for each in page.segments] == ["The shoe fits."]
    made = client.translate_text(
        "Good morning",
        source_lang="EN",
        target_lang="DE",
        translation_memory=memory,
        translation_memory_threshold=90,
    )
    assert made.text == "Moin"
    exports = [client.create_translation_memory_export(memory) for _ in range(2)]
    assert [each.reused_existing for each in exports] == [False, True]
    file = io.BytesIO()
    client.download_translation_memory_export(ended(client, exports[0].job_id), file)
    assert file.getvalue().count(b"<tu>") == 2
    client.delete_translation_memory(memory)
    assert client.list_translation_memories() == []


def test_it_is_told_why_an_import_failed(client):
    begun = client.create_translation_memory_import("shoes.tmx", 3)
    client.upload_translation_memory_file(begun, b"<x>")
    job = ended(client, begun.job_id)
    assert not job.ok
    assert "well-formed" in job.result.error_message
