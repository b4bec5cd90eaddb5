"""What the documents panel says: sentences of counts, in which no name of a file and no text stands."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from svc_nb.documents.files import KINDS
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.job import Progress
from svc_nb.errors import one_line
from svc_nb.marked import PSEUDO
from svc_nb.panels.documents.table import BAD, DONE, LEAST_BILLED, LOST, TO_FETCH, TO_SEND, DocumentFile, DocumentTable
from svc_nb.panels.parts.texts import error_line
from svc_nb.tabular.report import plural

SEE_REMARKS = "Something went wrong with a file: see the remarks, or panel.problem."
MANY_SECONDS = 86_400  # services are known to say nonsense such as 2^27
STATUS = {
    "": "Not checked yet",
    TO_SEND: "Can be sent",
    TO_FETCH: "To be fetched",
    "waiting": "Waiting",
    "uploading": "Sending",
    "queued": "Queued",
    "translating": "Translating",
    "ready": "Ready",
    "downloading": "Fetching",
    "elsewhere": "Busy elsewhere",
    DONE: "Done",
    MARKED: "Not translated",
    "error": "Failed",
    "refused": "Cannot be sent",
    "skipped": "Left out",
    LOST: "Result is gone",
}
OPTIONS = {
    "formality": "Formality",
    "glossary_ids": "The glossaries",
    "style_id": "The style list",
    "translation_memory_id": "The translation memory",
    "translation_memory_threshold": "The least match",
    "output_format": "The output format",
    "enable_watermark": "The watermark",
}


def status(word: str) -> str:
    """How a status is called."""
    return STATUS.get(word, word)


def standing(document: DocumentFile) -> str:
    """How the status of a file is called; one of which only a part was translated says so."""
    return "Only in part" if document.status == MARKED and document.translator != PSEUDO else status(document.status)


def note(document: DocumentFile) -> str:
    """What is told of a file on top of its cells: what went wrong, where it is, and where its translation is."""
    source = "" if document.dropped else str(document.path)
    what = "Not translated" if document.status == MARKED else "Translation"
    made = f"{what}: {document.output}" if document.output and document.status in WRITTEN else ""
    return "\n".join(part for part in (document.error, source, made) if part)


def place(path: Path, home: Path) -> str:
    """A path, told from *home* where it is below it."""
    return str(path.relative_to(home) if path.is_relative_to(home) else path)


def size(count: int | None) -> str:
    """A size for people.

    >>> size(12), size(150_000), size(2_345_678), size(None)
    ('12 B', '150 kB', '2.3 MB', '')
    """
    if count is None:
        return ""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1e6:,.1f} MB"


def left(seconds: int | None) -> str:
    """How long it takes yet, by the service's own guess.

    >>> left(42), left(200), left(9000), left(2**27), left(None)
    ('42 s', '3 min', '2.5 h', 'long', '')
    """
    if seconds is None:
        return ""
    if seconds >= MANY_SECONDS:
        return "long"
    if seconds < 60:
        return f"{max(0, seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def characters(document: DocumentFile) -> str:
    """What is billed for a file: what was, or what will be at least."""
    if document.billed is not None:
        return f"{document.billed:,}"
    if document.status not in (TO_SEND, TO_FETCH, "waiting", "uploading", "queued", "translating", "ready"):
        return ""
    return f"at least {document.least:,}" if document.least else "as many as it has"


def bill(documents: Sequence[DocumentFile]) -> str:
    """What *documents* cost at least, in a sentence."""
    dear = [each for each in documents if each.least]
    others = len(documents) - len(dear)
    if not dear:
        return f"Billed are the characters that {'it has' if others == 1 else 'they have'}."
    kinds = sorted({each.kind for each in dear})
    named = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    office = f"the {named} file" if len(dear) == 1 else f"each of {len(dear):,} {named} files"
    parts = [f"{LEAST_BILLED:,} for {office}"]
    parts += [f"the characters of the other {'file' if others == 1 else plural(others, 'file')}"] if others else []
    least = sum(document.least for document in dear)
    return f"Billed are at least {plural(least, 'character')}: at least {' and '.join(parts)}."


def lacking(documents: DocumentTable, target: str) -> str:
    """What is missing before files can be checked."""
    if not len(documents):
        return "Drop files, choose them, or name them: panel.add(paths). Nothing is sent before you say so."
    return "" if target else "Choose the language to translate into."


def planned(documents: DocumentTable, folder: Path) -> str:
    """What can be done with the files, and where the translations will be."""
    counts = Counter(each.status for each in documents)
    send, fetch = counts[TO_SEND], counts[TO_FETCH]
    parts = [f"{plural(send, 'file')} can be sent"] if send else []
    parts += [f"{fetch:,} {'was' if fetch == 1 else 'were'} sent before and can be fetched"] if fetch else []
    parts += [f"{counts[DONE]:,} done"] if counts[DONE] else []
    bad = sum(counts[each] for each in BAD)
    parts += [f"{bad:,} cannot be sent: see the remarks"] if bad else []
    parts += [f"{counts['skipped']:,} left out"] if counts["skipped"] else []
    ready = " Nothing is sent, and nothing paid, before you say so." if send or fetch else ""
    return f"{'; '.join(parts)}.{ready} Translations go to {_short(folder)}." if parts else ""


def pressed(documents: DocumentTable) -> str:
    """What the button that begins says; "" where there is nothing to begin."""
    send, fetch = documents.with_status(TO_SEND), documents.with_status(TO_FETCH)
    if not send:
        return f"Fetch {plural(len(fetch), 'file')}" if fetch else ""
    least = sum(each.least for each in send)
    cost = f", at least {plural(least, 'character')}" if least else ""
    more = f", and fetch {len(fetch):,}" if fetch else ""
    return f"Translate {plural(len(send), 'file')}{cost}{more}"


def question(send: Sequence[DocumentFile], language: str, *, again: bool) -> str:
    """Whether these files shall really be sent and paid for."""
    total = sum(each.size or 0 for each in send)
    what = f"Send {plural(len(send), 'file')} ({size(total)}) to be translated into {language}?"
    twice = " They were translated and paid for before, and are paid for a second time." if again else ""
    return f"{what}{twice} {bill(send)} A file is billed when its translation is fetched, not when it is sent."


def moving(progress: Progress) -> str:
    """How far a run is."""
    counts = Counter(each.status for each in progress.files)
    now = [
        f"{counts[word]:,} {status(word).lower()}"
        for word in ("uploading", "queued", "translating", "ready", "downloading", "elsewhere", "waiting")
        if counts[word]
    ]
    return f"{progress.ended:,} of {plural(len(progress.files), 'file')} · {', '.join(now) or 'ending'}"


def _short(folder: Path) -> str:
    """The folder as a person here names it: a saved notebook need not tell where it was made."""
    for home, mark in ((Path.cwd(), Path()), (Path.home(), Path("~"))):
        if folder.is_relative_to(home):
            return str(mark / folder.relative_to(home))
    return str(folder)


def ended(
    documents: Sequence[DocumentFile], folder: Path, *, cancelled: bool, problem: str = "", untranslated: str = ""
) -> str:
    """What became of a run; *problem* is what ended it early, *untranslated* says what no translator had."""
    counts = Counter(each.status for each in documents)
    written = sum(counts[each] for each in WRITTEN)
    billed = sum(each.billed or 0 for each in documents if each.status in WRITTEN)
    bad = sum(counts[each] for each in BAD)
    rest = len(documents) - written - bad - counts["skipped"]
    parts = [f"{counts[DONE]:,} of {plural(len(documents), 'file')} translated"]
    parts += [untranslated] if untranslated else []
    parts += [f"{plural(billed, 'character')} billed"] if billed else []
    parts += [f"{rest:,} left"] if rest else []
    why = reason(documents).rstrip(" .") or "see the remarks"
    parts += [f"{bad:,} failed: {why}"] if bad and not problem else []
    head = f"{problem.rstrip(' .')}. " if problem else "Cancelled: " if cancelled else ""
    where = f" {'Translations' if counts[DONE] else 'The files'} are in {_short(folder)}." if written else ""
    goes_on = " What was sent is not lost: it can be fetched." if rest else ""
    return f"{head}{'; '.join(parts)}.{where}{goes_on}"


def reason(documents: Sequence[DocumentFile]) -> str:
    """Why files have no translation: the first reason that names no file; "" where there is none."""
    found = [one_line(each.error) for each in documents if each.error and each.status not in ("skipped", MARKED)]
    return next((each for each in found if not _names(each, documents)), "")


def problem(error: Exception, documents: Iterable[DocumentFile]) -> str:
    """What went wrong, in a line, without the names of files: the line is kept in a saved notebook."""
    if isinstance(error, OSError) and error.strerror:
        return f"{one_line(error.strerror)}: a file or a folder cannot be read or written."
    said = error_line(error)
    return SEE_REMARKS if _names(said, documents) else said


def _names(text: str, documents: Iterable[DocumentFile]) -> bool:
    """Whether *text* holds the name of a document or of its translation."""
    known = [each for each in documents if each.kind in KINDS]
    names = {each.path.name for each in known} | {each.output.name for each in known if each.output}
    return any(name in text for name in names)


def unfit(reasons: Mapping[str, str]) -> str:
    """That options are left out, and why."""
    return "\n".join(f"{OPTIONS.get(name, name)} is left out: {why}." for name, why in reasons.items())
