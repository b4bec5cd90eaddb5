"""The files of a panel, by numbers that stay: what is known of each, from the plan to its translation."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.documents.files import KINDS
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.job import FileProgress

# The kinds of which at least so many characters are billed, however few they have.
LEAST_BILLED = 50_000
LEAST_KINDS = frozenset(("docx", "doc", "pptx", "xlsx", "pdf"))
CAN_HAVE_WATERMARK = frozenset(("docx", "doc", "pdf"))
TO_SEND, TO_FETCH, DONE, LOST, SKIPPED = "to send", "to fetch", "done", "lost", "skipped"
REFUSED = "refused"
BAD = frozenset(("error", REFUSED, LOST))
ENDED_BADLY = BAD | {SKIPPED}


@dataclass(eq=False, slots=True)
class DocumentFile:
    """One file: *root* is the folder that was named, if one was; *resumed* ones were sent before."""

    number: int
    path: Path
    name: str
    root: Path | None = None
    dropped: bool = False
    resumed: bool = False
    size: int | None = None
    status: str = ""
    error: str | None = None
    translator: str | None = None
    share: float | None = None
    left: int | None = None
    billed: int | None = None
    output: Path | None = None
    document_id: str | None = None
    settled: bool = False

    @property
    def kind(self) -> str:
        """The ending in small letters."""
        return self.path.suffix[1:].lower()

    @property
    def least(self) -> int:
        """The characters that are billed at least."""
        return LEAST_BILLED if self.kind in LEAST_KINDS else 0

    @property
    def mark(self) -> str:
        """How its row looks in a grid."""
        if self.status in BAD or (self.error and self.status == "waiting"):
            return "error"
        return {MARKED: "warning", SKIPPED: "faded"}.get(self.status, "")

    def plan(self, row: Mapping[str, Any]) -> None:
        """Take over a row of a plan."""
        self.status, self.error = row["status"], row["error"]
        if self.root and self.kind not in KINDS:  # nobody named it
            self.status = SKIPPED
        self.size = row["size"] if row["size"] else self.size
        self.output = Path(row["output"]) if row["output"] else None
        self.share = 1.0 if self.status == DONE else None
        self.left = self.billed = self.translator = None
        self.document_id = self.document_id if self.status == TO_FETCH else None

    def move(self, now: FileProgress) -> bool:
        """Take over how far it is; whether that is new."""
        before = self._looks()
        self.status, self.error = now.status, now.error
        self.share = None if now.status in ENDED_BADLY else now.fraction
        self.left = now.seconds_remaining if now.status == "translating" else None
        self.output = now.output or self.output
        return self._looks() != before

    def _looks(self) -> tuple[Any, ...]:
        share = None if self.share is None else round(100 * self.share)
        return self.status, self.error, share, self.left, self.output

    def end(self, row: Mapping[str, Any]) -> None:
        """Take over what became of it."""
        self.status, self.error, self.left = row["status"], row["error"], None
        self.billed, self.document_id = row["billed_characters"], row["document_id"]
        self.translator = row["translator"]
        self.output = Path(row["output"]) if row["output"] else None
        self.share = 1.0 if self.status in WRITTEN else None
        self.settled = self.status in WRITTEN or self.error is not None


class DocumentTable:
    """The files in the order in which they came; no path stands there twice, but for those that were resumed."""

    def __init__(self) -> None:
        self._documents: dict[int, DocumentFile] = {}
        self._numbers = count(1)
        self._paths: set[Path] = set()

    def __iter__(self) -> Iterator[DocumentFile]:
        return iter(self._documents.values())

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, number: int) -> DocumentFile:
        return self._documents[number]

    def __contains__(self, number: object) -> bool:
        return number in self._documents

    def add(self, path: Path, **facts: Any) -> DocumentFile | None:
        """A new file; None where it is there already."""
        if path in self._paths:
            return None
        self._paths.add(path)
        return self.put(path, **facts)

    def put(self, path: Path, **facts: Any) -> DocumentFile:
        """A new file, whether it is there already or not."""
        number = next(self._numbers)
        document = self._documents[number] = DocumentFile(number, path, **{"name": path.name, **facts})
        with suppress(OSError):  # of what is not there no size is known
            document.size = path.stat().st_size
        return document

    def move(self, document: DocumentFile, path: Path) -> None:
        """A file has another path now."""
        self._paths = (self._paths - {document.path}) | {path}
        document.path, document.name = path, path.name

    def drop(self, numbers: Collection[int]) -> list[DocumentFile]:
        """Take files out of the list; they are what is returned."""
        gone = [self._documents.pop(number) for number in numbers if number in self._documents]
        self._paths -= {each.path for each in gone if not each.resumed}
        return gone

    def unsettle(self) -> None:
        """Have what became of files be shown no longer."""
        for each in self:
            each.settled = False

    def with_status(self, *wanted: str) -> list[DocumentFile]:
        """Those that stand so."""
        return [each for each in self if each.status in wanted]

    @property
    def kinds(self) -> set[str]:
        """The kinds of those that can be sent."""
        return {each.kind for each in self if not each.resumed}

    def frame(self, documents: Sequence[DocumentFile], options: Mapping[str, Any]) -> pd.DataFrame:
        """*documents* as `svc_nb.documents` takes them; what only some kinds have is said in their rows alone."""
        output_format, watermark = options.get("output_format"), options.get("enable_watermark")
        return pd.DataFrame(
            {
                "path": [str(each.path) for each in documents],
                "root": [str(each.root) if each.root else None for each in documents],
                "output_format": [output_format if each.kind == "pdf" else None for each in documents],
                "enable_watermark": [watermark if each.kind in CAN_HAVE_WATERMARK else None for each in documents],
            },
            index=pd.Index([each.number for each in documents], dtype="int64"),
            dtype=object,
        )

    @property
    def table(self) -> pd.DataFrame:
        """A row for each file, by its number."""
        cells: dict[str, list[Any]] = {
            "file": [each.name for each in self],
            "kind": [each.kind for each in self],
            "size": [each.size for each in self],
            "status": [each.status for each in self],
            "translator": [each.translator for each in self],
            "progress": [None if each.share is None else round(100 * each.share) for each in self],
            "left": [each.left for each in self],
            "characters": [each.billed for each in self],
            "error": [each.error for each in self],
            "output": [str(each.output) if each.output else None for each in self],
            "path": [str(each.path) for each in self],
        }
        index = pd.Index(list(self._documents), dtype="int64", name="number")
        numbers = dict.fromkeys(("size", "progress", "left", "characters"), "Int64")
        return pd.DataFrame(cells, index=index, dtype=object).astype(numbers)


def rows_of(table: pd.DataFrame) -> list[tuple[Any, dict[str, Any]]]:
    """The rows of a table with their labels; gaps are None."""
    plain = table.astype(object).where(table.notna(), None)
    rows: list[Any] = plain.to_dict("records")
    return list(zip(plain.index.tolist(), rows, strict=True))
