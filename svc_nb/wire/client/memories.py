"""Translation memories: list, read and delete them, and import and export them as TMX by jobs."""

from collections.abc import Iterator
from pathlib import Path

from svc_nb.errors import ApiError, BadReply
from svc_nb.wire import models
from svc_nb.wire.client.resource import CollectionClient, read, segment
from svc_nb.wire.connection import Count, Sink

PATH = "/v3/translation_memories"
XML = "application/xml"
LARGEST_PAGE = 25
LARGEST_SEGMENT_PAGE = 100
LONGEST_FILE_NAME = 100
LONGEST_JOB = 3600.0
# An export that is reused may have been downloaded before.
DONE = ("completed", "downloaded")


class Memories(CollectionClient[models.TranslationMemory]):
    """Translation memories; their contents never change, a new one is imported instead."""

    _path, _noun = PATH, models.TranslationMemory

    def get(self, translation_memory_id: str) -> models.TranslationMemory:
        """Return one memory, without its segments."""
        return self._get(translation_memory_id)

    def delete(self, translation_memory_id: str) -> None:
        """Delete a memory with all its segments, for good."""
        self._delete(translation_memory_id)

    def segment_page(
        self,
        translation_memory_id: str,
        *,
        filter_text: str | None = None,
        case_sensitive: bool = False,
        page_size: int = LARGEST_SEGMENT_PAGE,
        page_cursor: str | None = None,
    ) -> models.SegmentPage:
        """Return a page of segments, all or those with *filter_text* on either side.

        The cursor comes from the page before, with the same filter.
        """
        return self._ask(
            models.SegmentPage.from_wire,
            "GET",
            f"{PATH}/{segment(translation_memory_id)}/segments",
            params={
                "page_size": page_size,
                "page_cursor": page_cursor,
                "filter_text": filter_text,
                "filter_case_sensitive": "true" if case_sensitive else None,
            },
        )

    def segments(
        self, translation_memory_id: str, *, filter_text: str | None = None, case_sensitive: bool = False
    ) -> Iterator[models.MemorySegment]:
        """Yield the segments one by one, all or those with *filter_text*; pages are requested when needed."""
        cursor, seen = None, set[str]()
        while True:
            page = self.segment_page(
                translation_memory_id, filter_text=filter_text, case_sensitive=case_sensitive, page_cursor=cursor
            )
            yield from page.segments
            cursor = page.next_page_cursor
            if cursor is None:
                return
            if cursor in seen:
                raise BadReply("The service gave the same page cursor twice")
            seen.add(cursor)

    # ---- jobs

    def begin_import(
        self, file_name: str, content_length: int, *, name: str | None = None, content_type: str = XML
    ) -> models.MemoryUpload:
        """Request the address for the file of a new memory; *name* is the memory's, by default based on the file's."""
        file = {
            "file_name": file_name[-LONGEST_FILE_NAME:],
            "content_length": content_length,
            "content_type": content_type,
        }
        parameters = {} if name is None else {"parameters": {"display_name": name}}
        return self._ask(
            models.MemoryUpload.from_wire, "POST", f"{PATH}/import", json={"source_file": file, **parameters}
        )

    def upload(
        self, upload: models.MemoryUpload, path: Path, *, content_type: str = XML, on_bytes: Count | None = None
    ) -> None:
        """Stream the file of an import to its address; *on_bytes* is called with the number of bytes sent so far.

        Raises BadReply if the answer is a web page, because then a proxy received the file.
        """
        reply = self._transport.put_file(upload.upload_url, path, media=content_type, on_bytes=on_bytes)
        if reply.headers.get("content-type", "").lower().startswith("text/html"):
            raise reply.bad("The file was answered with a web page, so it did not reach the service")

    def begin_export(self, translation_memory_id: str) -> str:
        """Begin an export and return its job_id; an existing export may be reused."""
        reply = self._transport.request("POST", f"{PATH}/{segment(translation_memory_id)}/export")
        return read(reply, models.MemoryExport.from_wire).job_id

    def download(self, result: models.MemoryJobResult, into: Path, *, on_bytes: Count | None = None) -> int:
        """Stream the file of a completed export into *into*, and return its number of bytes."""
        if result.download_url is None:
            raise BadReply("The export is completed but has no address for its file")
        return self._transport.fetch_signed(result.download_url, Sink(into, on_bytes=on_bytes))

    def job(self, job_id: str) -> models.MemoryJob:
        """Return the current state of an import or an export."""
        return self._ask(models.MemoryJob.from_wire, "GET", f"{PATH}/jobs/{segment(job_id)}")

    def wait(self, job_id: str, *, timeout: float = LONGEST_JOB) -> models.MemoryJobResult:
        """Poll a job until it is completed, and return its result.

        Raises ApiError with the service's message if it failed or expired, and TimedOut after *timeout* seconds.
        """

        def completed() -> models.MemoryJobResult | None:
            job = self.job(job_id)
            if not job.results:
                raise BadReply("The job has no result")
            result = job.results[0]
            if result.status in ("failed", "expired"):
                raise ApiError(f"The job {result.status}", detail=result.error.message if result.error else None)
            return result if result.status in DONE else None

        return self._poll(completed, first=0.05, timeout=timeout, late=f"The job {job_id} was not completed")

    def list(self) -> list[models.TranslationMemory]:
        """Return all memories, without their segments."""
        found: dict[str, models.TranslationMemory] = {}
        page = 0
        while True:
            reply = self._transport.request("GET", PATH, params={"page": page, "page_size": LARGEST_PAGE})
            listed = read(reply, models.MemoryPage.from_wire)
            found.update((each.translation_memory_id, each) for each in listed.translation_memories)
            page += 1
            if not listed.translation_memories or page * LARGEST_PAGE >= listed.total_count:
                return [*found.values()]
