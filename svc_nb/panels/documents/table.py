"""The files of a panel, by numbers that never change: the details of each, from the plan to its translation."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.documents import pending
from svc_nb.documents.files import KINDS, LEAST_KINDS, billed
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.job import SENT, FileProgress
from svc_nb.documents.outputs import digest_of
from svc_nb.documents.storage import FETCHED, DocumentRecord, address_of, open_storage
from svc_nb.session import current

CAN_HAVE_WATERMARK = frozenset(("docx", "doc", "pdf"))
TO_SEND, TO_FETCH, DONE, LOST, SKIPPED = "to send", "to fetch", "done", "lost", "skipped"
ELSEWHERE = "elsewhere"
UNSENT = ("waiting", "uploading")
REFUSED = "refused"
BAD = frozenset(("error", REFUSED, LOST))
ENDED_BADLY = BAD | {SKIPPED}


@dataclass(eq=False, slots=True)
class DocumentFile:
    """One file: *root* is the folder it was added with, if any; *resumed* files were sent before.

    *characters* estimates what will be billed for it, and *billed* is what was. *billed_before* was billed for a file
    that came back not translated, and is now sent again; *replaces* for a translation with other options, which a new
    one replaces. *lacking* names the missing translator; *ran_into* is the language of the last run here.
    """

    number: int
    path: Path
    name: str
    root: Path | None = None
    source: str = ""
    target: str = ""
    dropped: bool = False
    resumed: bool = False
    size: int | None = None
    status: str = ""
    error: str | None = None
    translator: str | None = None
    share: float | None = None
    left: int | None = None
    characters: int | None = None
    billed: int | None = None
    billed_before: int | None = None
    replaces: int | None = None
    lacking: str = ""
    ran_into: str = ""
    output: Path | None = None
    document_id: str | None = None
    settled: bool = False

    @property
    def kind(self) -> str:
        """The file extension in lower case."""
        return self.path.suffix[1:].lower()

    @property
    def has_least(self) -> bool:
        """Whether more characters than these may be billed."""
        return self.kind in LEAST_KINDS and self.characters != 0

    @property
    def pair(self) -> str:
        """The source and target language, as codes; empty if none is chosen."""
        return pair_of(self.source, self.target)

    @property
    def paused(self) -> bool:
        """Whether the file was not sent for a reason other than the file itself, such as an exhausted quota."""
        return self.status == "waiting" and bool(self.error)

    @property
    def can_retry(self) -> bool:
        """Whether it failed or was not finished, and may succeed on a retry; resumed files are resumed again."""
        return bool(self.error) and not self.resumed and self.status not in (SKIPPED, REFUSED, LOST, *WRITTEN)

    @property
    def mark(self) -> str:
        """The style of its row in a grid."""
        if self.status in BAD or self.paused:
            return "error"
        return "warning" if self.lacking else {MARKED: "warning", SKIPPED: "faded"}.get(self.status, "")

    def plan(self, row: Mapping[str, Any], source: str, before: DocumentRecord | None) -> None:
        """Update from a row of a plan; *source* is the chosen language, "" for any. *before* is the record of the
        translation already at the output path.
        """
        self.status, self.error, self.target = row["status"], row["error"], row["target_lang"]
        if self.root and self.kind not in KINDS:  # it was not added by name
            self.status = SKIPPED
        found = before.detected_lang if before is not None and self.status == DONE else None
        self.source = source or found or ""
        self.size = row["size"] if row["size"] else self.size
        self.output = Path(row["output"]) if row["output"] else None
        self.share = 1.0 if self.status == DONE else None
        self.left = self.translator = None
        self.billed = row["billed_before"] if self.status == DONE else None
        self.billed_before = row["billed_before"] if self.status == TO_SEND else None
        self.replaces = before.billed_characters if before is not None and self.status == TO_SEND else None
        self.characters = row["characters"]
        self.document_id = self.document_id if self.status == TO_FETCH else None

    def move(self, now: FileProgress) -> bool:
        """Update its progress; returns whether that changed."""
        before = self._looks()
        self.status, self.error = now.status, now.error
        self.share = None if now.status in ENDED_BADLY else now.fraction
        self.left = now.seconds_remaining if now.status == "translating" else None
        self.output = now.output or self.output
        self.source = now.source_lang or self.source
        self.billed = now.billed_characters
        return self._looks() != before

    def _looks(self) -> tuple[Any, ...]:
        share = None if self.share is None else round(100 * self.share)
        return self.status, self.error, share, self.left, self.output, self.source, self.billed

    def end(self, row: Mapping[str, Any]) -> None:
        """Update from its result."""
        self.status, self.error, self.left = row["status"], row["error"], None
        if not self.error and self.status in (*SENT, *UNSENT):  # cancelled, but sent: it can be fetched
            self.status = TO_SEND if self.status in UNSENT and not self.resumed else TO_FETCH
        self.billed, self.document_id = row["billed_characters"], row["document_id"]
        self.translator, self.ran_into = row["translator"], self.target
        self.output = Path(row["output"]) if row["output"] else None
        self.share = 1.0 if self.status in WRITTEN else None
        self.settled = self.status in WRITTEN or self.error is not None


class DocumentTable:
    """The files in the order they were added; no path appears twice, except for resumed files."""

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

    def get(self, number: int) -> DocumentFile | None:
        """The file with this number, or None."""
        return self._documents.get(number)

    def __contains__(self, number: object) -> bool:
        return number in self._documents

    def add(self, path: Path, **facts: Any) -> DocumentFile | None:
        """Add a file; None if it is already there."""
        if path in self._paths:
            return None
        self._paths.add(path)
        return self.put(path, **facts)

    def put(self, path: Path, **facts: Any) -> DocumentFile:
        """Add a file, even if it is already there."""
        number = next(self._numbers)
        document = self._documents[number] = DocumentFile(number, path, **{"name": path.name, **facts})
        with suppress(OSError):  # a missing file has no size
            document.size = path.stat().st_size
        return document

    def matching(self, other: DocumentFile) -> DocumentFile:
        """The file here that matches *other*, a file of another panel; a new one if there is none."""
        for each in self:
            if (each.path, each.target, each.resumed) == (other.path, other.target, other.resumed):
                return each
        facts = {name: getattr(other, name) for name in ("root", "source", "target", "dropped", "resumed")}
        return self.add(other.path, **facts) or self.put(other.path, **facts)

    def move(self, document: DocumentFile, path: Path) -> None:
        """Record the new path of a file."""
        self._paths = (self._paths - {document.path}) | {path}
        document.path, document.name = path, path.name

    def drop(self, numbers: Collection[int]) -> list[DocumentFile]:
        """Remove files from the list, and return them."""
        gone = [self._documents.pop(number) for number in numbers if number in self._documents]
        self._paths -= {each.path for each in gone if not each.resumed}
        return gone

    def unsettle(self) -> None:
        """Clear the results of files."""
        for each in self:
            each.settled = False

    def with_status(self, *wanted: str) -> list[DocumentFile]:
        """The files with one of these statuses; of resumed files, which have no plan, only those that are written."""
        return [each for each in self if each.status in wanted and (not each.resumed or each.status in WRITTEN)]

    @property
    def names(self) -> list[str]:
        """The names of the files: their paths below the folder they were added with, and more if two are the same."""
        depths = {each: len(each.path.relative_to(each.root).parts) if each.root else 1 for each in self}
        while True:
            names = {each: str(Path(*each.path.parts[-depth:])) for each, depth in depths.items()}
            paths: defaultdict[str, set[Path]] = defaultdict(set)
            for each, name in names.items():
                paths[name].add(each.path)
            # A dropped file has a unique name, and its folder means nothing to a person.
            alike = [each for each, name in names.items() if len(paths[name]) > 1 and not each.dropped]
            if not alike:
                return list(names.values())
            for each in alike:
                depths[each] += 1

    @property
    def kinds(self) -> set[str]:
        """The kinds of the files that can be sent."""
        return {each.kind for each in self if not each.resumed}

    def frame(self, documents: Sequence[DocumentFile], options: Mapping[str, Any]) -> pd.DataFrame:
        """*documents* as `svc_nb.documents` takes them; options for some kinds are only in the rows of those kinds."""
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
            "file": self.names,
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


def pair_of(source: str, target: str) -> str:
    """The source and target language, as codes; empty if none is chosen."""
    return f"{source or 'Any'} → {target}" if target else ""


def rows_of(table: pd.DataFrame) -> list[tuple[Any, dict[str, Any]]]:
    """The rows of a table with their labels; missing values are None."""
    plain = table.astype(object).where(table.notna(), None)
    rows: list[Any] = plain.to_dict("records")
    return list(zip(plain.index.tolist(), rows, strict=True))


def translated_before(plan: pd.DataFrame) -> dict[Any, DocumentRecord]:
    """Existing translations at the output paths of *plan*, by its labels: of the same content, by this service."""
    storage, here = open_storage(current().settings.documents_path), address_of(current())
    found = {}
    for label, row in rows_of(plan):
        made = storage.made(row["output"]) if row["status"] in (DONE, TO_SEND) and row["output"] else None
        record = storage.find(made.identity) if made is not None else None
        if record is not None and record.stage == FETCHED and record.address == here:
            with suppress(OSError):  # it may have been deleted since
                if row["status"] == DONE or digest_of(Path(row["path"])) == record.digest:
                    found[label] = record
    return found


def pending_files() -> pd.DataFrame:
    """The documents in progress, with a column `characters`: the estimated bill of each."""
    found = pd.DataFrame(pending())
    heard = found["billed_characters"].tolist()
    counts = [billed(Path(path)) if known is pd.NA else known for path, known in zip(found["path"], heard, strict=True)]
    return found.assign(characters=pd.array(counts, dtype="Int64"))
