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

    A document is billed when its translation is downloaded, and it can be downloaded once. Its key is told once, in
    the handle: keep the handle until the translation is there.
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
        """Send a document to be translated into *target_lang*, and return the handle to ask for it with.

        Parameters
        ----------
        source
            The path of the file, or a stream opened in binary mode, which is read to its end.
        filename
            The name that goes with it, whose ending says what kind of document it is; a stream needs one.
        options
            What else shapes the translation; *fields* (source_lang=, formality=, ...) override it.
        reporting_tag
            The tag to book the characters under, in place of the one in the settings.
        tries
            How often to send it at most, in place of the setting. After an answer that was lost on the way it may be
            there twice, but only what is downloaded is billed.
        digest
            The SHA-256 that the file must have, in hexadecimal digits: another file is not sent to its end.
        on_bytes
            Told how many bytes are on their way; what it raises ends the upload.
        warn
            Whether to warn with OptionsIgnored, once for an option, when the service cannot follow one.
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
        """Tell how far a document is; raises NotFound when it was downloaded, or is not known."""
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
        """Write the translation to *path*, replacing what is there, and return how many bytes it has.

        It is billed once the service has sent all of it, and then the document is gone: what broke off before can be
        asked for again. *begun* is told the length before the first byte is written, None where it is not known;
        *on_bytes* how many have come; *opener* is for `open`. Raises Unavailable while the translation is not done, and
        BadReply for an empty file, and for a web page unless the translation can be a *page*.
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
    """A file that can be opened for each try, and its name; what comes from a stream is there only in the block."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        yield path, name or path.name
        return
    if name is None:
        raise TypeError("filename: expected the name of the document, whose ending says its kind, found None")
    if not callable(getattr(source, "read", None)):
        raise TypeError(f"source: expected a path or a binary stream, found {type(source).__name__}")
    with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
        path = Path(folder) / "document"
        with open(path, "xb") as copy:
            shutil.copyfileobj(source, copy)
        yield path, name
