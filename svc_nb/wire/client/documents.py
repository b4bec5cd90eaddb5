"""Documents: upload, status, download. Files are streamed both ways."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from svc_nb.errors import BadReply
from svc_nb.wire.client.ignored_options import IgnoredOptions, ignored_in
from svc_nb.wire.client.resource import ResourceClient, check, read, segment, tagged
from svc_nb.wire.connection import Count, Opener, Sink
from svc_nb.wire.models import DocumentHandle, DocumentOptions, DocumentStatus
from svc_nb.wire.transport import Transport

NO_OPTIONS = DocumentOptions()
OPTIONS = "DocumentOptions (or its fields by name: source_lang=, formality=, ...)"


class Documents(ResourceClient):
    """The operations on documents.

    A document is billed when its translation is downloaded, which is possible only once. Its key is returned only once,
    in the handle, so keep the handle until you have the translation.
    """

    def __init__(self, transport: Transport, ignored: IgnoredOptions) -> None:
        super().__init__(transport)
        self._ignored = ignored

    def upload(
        self,
        source: str | os.PathLike[str] | BinaryIO,
        target_lang: str,
        *,
        filename: str | None = None,
        options: DocumentOptions = NO_OPTIONS,
        reporting_tag: str | None = None,
        tries: int | None = None,
        digest: str | None = None,
        on_bytes: Count | None = None,
        warn: bool = True,
        **fields: Any,
    ) -> DocumentHandle:
        """Send a document to be translated into *target_lang*, and return the handle for further requests.

        Parameters
        ----------
        source
            The path of the file, or a binary stream, which is read to its end.
        filename
            The name of the document, whose ending determines its kind; required for a stream.
        options
            Other options of the translation; *fields* (source_lang=, formality=, ...) override them.
        reporting_tag
            The tag under which the service reports the characters, instead of the one in the settings.
        tries
            How often to send it at most, instead of the setting. If an answer is lost, the document may exist
            twice, but only downloads are billed.
        digest
            The SHA-256 that the file must have, in hexadecimal digits; the upload of any other file is aborted.
        on_bytes
            Called with the number of bytes sent so far; an exception ends the upload.
        warn
            Whether to warn with OptionsIgnored, once per option, if the service cannot follow one.
        """
        check("target_lang", target_lang, str, "a language code such as 'DE'")
        check("options", options, DocumentOptions, OPTIONS)
        asked = replace(options, **fields)
        glossaries = None if asked.glossary_ids is None else ",".join(asked.glossary_ids)
        with _file(source, filename) as (path, name):
            reply = self._transport.post_file(
                "/v2/document",
                path,
                name=name,
                fields={"target_lang": target_lang, **asked.to_wire(), "glossary_ids": glossaries},
                headers=tagged(self._transport.settings, reporting_tag),
                tries=tries,
                digest=digest,
                on_bytes=on_bytes,
            )
        handle = read(reply, DocumentHandle.from_wire)
        self._ignored.hear(ignored_in(reply))
        if warn:
            self._ignored.warn()
        return handle

    def status(self, handle: DocumentHandle, *, tries: int | None = None) -> DocumentStatus:
        """Return the status of a document; raises NotFound if it was already downloaded or is unknown."""
        check("handle", handle, DocumentHandle, "a DocumentHandle")
        return self._ask(
            DocumentStatus.from_wire,
            "POST",
            f"/v2/document/{segment(handle.document_id)}",
            form={"document_key": handle.document_key},
            tries=tries,
        )

    def download(
        self,
        handle: DocumentHandle,
        path: str | os.PathLike[str],
        *,
        tries: int | None = None,
        page: bool = True,
        begun: Callable[[int | None], None] | None = None,
        on_bytes: Count | None = None,
        opener: Opener | None = None,
    ) -> int:
        """Write the translation to *path*, replacing any file there, and return its number of bytes.

        It is billed once the service has sent all of it, and then the document is gone; a download that broke off
        earlier can be repeated. *begun* is called with the length before the first byte is written, None if unknown,
        and *on_bytes* with the number of bytes received; *opener* is passed to `open`. Raises Unavailable until the
        translation is done, and BadReply for an empty file, and for a web page unless the translation can be a *page*.
        """
        check("handle", handle, DocumentHandle, "a DocumentHandle")
        size = self._transport.fetch(
            "POST",
            f"/v2/document/{segment(handle.document_id)}/result",
            Sink(Path(path), begun, on_bytes, page, opener),
            form={"document_key": handle.document_key},
            tries=tries,
        )
        if not size:
            raise BadReply("Expected a file, found an empty answer")
        return size


@contextmanager
def _file(source: str | os.PathLike[str] | BinaryIO, name: str | None) -> Iterator[tuple[Path, str]]:
    """A file that can be opened for each try, and its name; the copy of a stream exists only within the block."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        yield path, name or path.name
        return
    if name is None:
        raise TypeError("filename: expected the name of the document, whose ending determines its kind, found None")
    if not callable(getattr(source, "read", None)):
        raise TypeError(f"source: expected a path or a binary stream, found {type(source).__name__}")
    with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
        path = Path(folder) / "document"
        with open(path, "xb") as copy:
            shutil.copyfileobj(source, copy)
        yield path, name
