"""The messages of the documents panel: sentences with counts, without file names or texts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from svc_nb.documents.files import KINDS, LEAST_BILLED
from svc_nb.documents.items import MARKED, TRANSLATION, UPLOAD, WRITTEN
from svc_nb.documents.job import GO_ON, SENT, Progress
from svc_nb.documents.outputs import AGAIN
from svc_nb.errors import one_line
from svc_nb.marked import PSEUDO
from svc_nb.panels.documents.paths import without
from svc_nb.panels.documents.table import (
    BAD,
    DONE,
    ELSEWHERE,
    LOST,
    REFUSED,
    TO_FETCH,
    TO_SEND,
    DocumentFile,
    DocumentTable,
)
from svc_nb.panels.parts.figures import Figure, figure
from svc_nb.panels.parts.texts import error_line, lasting, sentence
from svc_nb.tabular.report import plural

SEE_REASON = "Something went wrong with a file: see Reason, or panel.problem."
MANY_SECONDS = 86_400  # some services report nonsense such as 2^27
STATUS = {
    "": "Not checked",
    TO_SEND: "Ready to send",
    TO_FETCH: "Ready to fetch",
    "waiting": "Waiting",
    "uploading": "Uploading",
    "queued": "Queued",
    "translating": "Translating",
    "ready": "Downloading",
    "downloading": "Downloading",
    ELSEWHERE: "Busy elsewhere",
    DONE: "Ready",
    MARKED: "Not translated",
    "error": "Failed",
    REFUSED: "Cannot be sent",
    "skipped": "Left out",
    LOST: "Result is gone",
}
NO_TRANSLATOR = "No translator"
UNFETCHED = "Not fetched"
# How much of the whole is done when each of these statuses begins, and when it ends.
PARTS = {
    "uploading": (0.0, UPLOAD),
    "translating": (UPLOAD, UPLOAD + TRANSLATION),
    "downloading": (UPLOAD + TRANSLATION, 1.0),
}
OPTIONS = {
    "formality": "Formality",
    "glossary_ids": "The glossaries",
    "style_id": "The style rule list",
    "translation_memory_id": "The translation memory",
    "translation_memory_threshold": "The minimum match",
    "output_format": "The output format",
    "enable_watermark": "The watermark",
}


def status(word: str) -> str:
    """The label of a status."""
    return STATUS.get(word, word)


def standing(document: DocumentFile) -> str:
    """The label of a file's status, which says if only a part was translated, or if it is paused."""
    if document.paused:
        return "Paused"
    if document.error and document.status in SENT:
        return UNFETCHED
    return "Only in part" if document.status == MARKED and document.translator != PSEUDO else status(document.status)


def state(document: DocumentFile) -> str:
    """The state of a file as its row shows it, with the progress while it is being processed."""
    if document.lacking:
        return NO_TRANSLATOR
    first, last = PARTS.get(document.status, (0.0, 0.0))
    if not last or document.share is None:
        return standing(document)
    percent = round(100 * (document.share - first) / (last - first))
    seconds = f", {left(document.left)} left" if document.left else ""
    return f"{standing(document)} {min(100, max(0, percent))} %{seconds}"


def why(document: DocumentFile) -> str | None:
    """The reason shown beside a file's state, which says already that it is not translated."""
    said = document.lacking or document.error
    return said and sentence(_in_panel(said).removeprefix("NOT TRANSLATED: "))


def _in_panel(said: str) -> str:
    """The message *said* about a file, with the buttons of the panel in place of functions."""
    by_buttons = {str(GO_ON): "Retry fetches it", str(AGAIN): "Translate again sends and bills it again"}
    for function, pressed_button in by_buttons.items():
        said = said.replace(function, pressed_button)
    return said


def facts(document: DocumentFile, home: Path) -> list[tuple[str, str]]:
    """The details of one file, as titles with texts."""
    made = place(document.output, home) if document.output and document.status in WRITTEN else ""
    known = {
        "File": document.name,
        "Languages": document.pair,
        "State": state(document),
        "Reason": why(document) or "",
        "Size": size(document.size),
        "Characters": said[1] if (said := characters(document)) else "",
        "Path": "" if document.dropped else str(document.path),
        "Translation": made,
    }
    return [(title, text) for title, text in known.items() if text]


def place(path: Path, home: Path) -> str:
    """A path, relative to *home* if it is below it."""
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
    """How much longer it takes, by the service's own estimate.

    >>> left(42), left(2**27), left(None)
    ('42 s', 'a long time', '')
    """
    if seconds is None:
        return ""
    return "a long time" if seconds >= MANY_SECONDS else lasting(seconds)


def characters(document: DocumentFile) -> tuple[int, str] | None:
    """What is billed for a file, as a number and in words: the actual or the estimated characters."""
    if document.billed is not None:
        return document.billed, f"{document.billed:,}"
    if document.status not in (TO_SEND, TO_FETCH, "waiting", "uploading", "queued", "translating", "ready", ELSEWHERE):
        return None
    if not document.characters:
        return (0, "0") if document.characters == 0 else None
    return document.characters, f"{'at least' if document.has_least else 'about'} {document.characters:,}"


def amount(documents: Sequence[DocumentFile]) -> str:
    """How many characters *documents* will be billed, as far as that is known; "" if it is not."""
    known = sum(each.characters or 0 for each in documents)
    if not known:
        return ""
    if all(each.has_least for each in documents):
        return f"at least {plural(known, 'character')}"
    more = any(each.has_least or each.characters is None for each in documents)
    return f"about {plural(known, 'character')}{' or more' if more else ''}"


def bill(documents: Sequence[DocumentFile]) -> str:
    """What *documents* cost, in a sentence."""
    many = amount(documents)
    if not many:
        return f"You are billed for the characters {'it contains' if len(documents) == 1 else 'they contain'}."
    *others, last = sorted({each.kind for each in documents if each.has_least}) or [""]
    kinds = f"{', '.join(others)} or {last}" if others else last
    least = f"{'' if many.startswith('at least') else 'at least '}{LEAST_BILLED:,} for each {kinds}"
    return f"You are billed {many}{f': {least}' if kinds else ''}."


def untranslated(send: Sequence[DocumentFile]) -> str:
    """Which translators are missing, and how many files would not be translated; "" if none is missing."""
    without_one = [each for each in send if each.lacking]
    if not without_one:
        return ""
    lacking = ", ".join(dict.fromkeys(each.lacking for each in without_one))
    some = "the files" if len(without_one) == len(send) else f"{len(without_one):,} of {plural(len(send), 'file')}"
    return f"There is {lacking} here: {some} would not be translated."


def lacking_of(document: DocumentFile) -> str:
    """Which translator was missing for a file; "" if it was translated, even only in part."""
    said = (document.error or "").removeprefix("NOT TRANSLATED: ")
    return said.partition(";")[0] if standing(document) == STATUS[MARKED] else ""


def to_do_first(documents: DocumentTable, target: str) -> str:
    """What to choose before files can be checked."""
    if not len(documents):
        return "Drop files above, or type the path of a folder. Nothing is sent before you confirm."
    return "" if target else "Choose the language to translate to."


def planned(documents: DocumentTable, folder: Path) -> str:
    """What can be done with the files, where the translations will be, and which translators are missing."""
    counts = Counter(each.status for each in documents)
    send, fetch = documents.with_status(TO_SEND), documents.with_status(TO_FETCH)
    can = [each for each in send if not each.lacking]
    parts = [f"{plural(len(can), 'file')} can be sent{_in_brackets(amount(can))}"] if can else []
    parts += [f"{len(fetch):,} sent before, to be fetched{_in_brackets(amount(fetch))}"] if fetch else []
    parts += [f"{counts[ELSEWHERE]:,} being translated by another notebook"] if counts[ELSEWHERE] else []
    parts += [f"{counts[DONE]:,} ready"] if counts[DONE] else []
    bad = sum(counts[each] for each in BAD)
    parts += [f"{bad:,} cannot be sent: see Reason"] if bad else []
    parts += [f"{counts['skipped']:,} left out"] if counts["skipped"] else []
    parts = [f"{' · '.join(parts)}."] if parts else []
    parts += [f"Translations go to {_short(folder)}."] if can or fetch else []
    return " ".join(filter(None, [untranslated(send), *parts, billed_again(send)]))


def billed_again(send: Sequence[DocumentFile]) -> str:
    """A note on files billed before that came back not translated or had other options; "" if there are none."""
    said = []
    if paid := [each.billed_before for each in send if each.billed_before is not None]:
        were, they_are = ("was", "it is") if len(paid) == 1 else ("were", "they are")
        many = f"{plural(len(paid), 'file')} came back not translated before and {were} billed"
        said.append(f"{many} {plural(sum(paid), 'character')}. If sent again, {they_are} billed again.")
    if paid := [each.replaces for each in send if each.replaces is not None]:
        was, they_are, new = "was", "it is", "the new translation replaces the old one"
        if len(paid) > 1:
            was, they_are, new = "were", "they are", "the new translations replace the old ones"
        many = f"{plural(len(paid), 'file')} {was} already translated with another source language or other options"
        said.append(f"{many} for {plural(sum(paid), 'character')}. If sent again, {they_are} billed again, and {new}.")
    return " ".join(said)


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def pressed(documents: DocumentTable, language: str) -> str:
    """The label of the button that starts; "" if there is nothing to start."""
    send, fetch = documents.with_status(TO_SEND), documents.with_status(TO_FETCH)
    if not send:
        return f"Fetch {plural(len(fetch), 'file')}{'' if all_free(fetch) else ' …'}" if fetch else ""
    more = f", fetch {len(fetch):,}" if fetch else ""
    return f"Translate {plural(len(send), 'file')} to {language}{more}"


def all_free(documents: Sequence[DocumentFile]) -> bool:
    """Whether nothing is billed for *documents*, because they are only copied."""
    return all(each.characters == 0 for each in documents)


def fetch_question(documents: Sequence[DocumentFile], what: str) -> tuple[str, str]:
    """The question whether to fetch and pay for *documents* that were sent before, and its answer, *what*."""
    return f"{what}? {bill(documents)}", what


def question(
    send: Sequence[DocumentFile],
    language: str,
    *,
    fetch: Sequence[DocumentFile] = (),
    again: bool = False,
) -> tuple[str, str]:
    """The question whether to send and pay for these files, and its answer.

    Those to *fetch* are paid for at the same time.
    """
    total, many = sum(each.size or 0 for each in send), plural(len(send), "file")
    twice = " They were billed before, and will be billed again." if again else ""
    twice += f" {billed_again(send)}" if billed_again(send) else ""
    lacking = untranslated(send)
    warning = f" {lacking}" if lacking else ""
    more = f", and fetch {len(fetch):,} sent before" if fetch else ""
    asked = f"Send {many} ({size(total)}) and translate to {language}{more}?{warning}{twice} {bill([*send, *fetch])}"
    return asked, f"{'Send' if lacking else 'Translate'} {many}{' again' if again else ' anyway' if lacking else ''}"


def moving(progress: Progress, *, before: int = 0) -> str:
    """The progress of a run; *before* counts files that earlier runs finished."""
    counts = Counter(each.status for each in progress.files)
    now = [
        f"{counts[word]:,} {status(word).lower()}"
        for word in ("uploading", "queued", "translating", "ready", "downloading", "elsewhere", "waiting")
        if counts[word]
    ]
    total = plural(len(progress.files) + before, "file")
    waits = f" · {progress.waiting}" if progress.waiting else ""
    return f"{progress.ended + before:,} of {total} · {', '.join(now) or 'ending'}{waits}"


def added(new: int, known: int, left_out: Counter[str]) -> str:
    """How many files of a path were added; *known* were already in the list. The plan reports files it cannot send."""
    said = f"{plural(new, 'file')} added."
    if known:
        said += f" {known:,} {'is' if known == 1 else 'are'} already in the list."
    return f"{said} {without(Counter(), left_out)}".strip()


def saves(documents: DocumentTable) -> str:
    """The label of the button that saves all translations; files with the same content and name share one."""
    written = {each.output: each for each in documents.with_status(*WRITTEN)}
    marked = [each for each in written.values() if each.status == MARKED]
    whole = sum(each.translator == PSEUDO for each in marked)
    parts = [f"{whole:,} of them not translated"] if whole else []
    parts += [f"{len(marked) - whole:,} of them only partly translated"] if len(marked) > whole else []
    if len(written) > 1:
        return ", ".join([f"Save all {len(written):,} as zip", *parts])
    return f"Save the file, {'not translated' if whole else 'partly translated'}" if marked else "Save the file"


def survives(documents: Iterable[DocumentFile], *, lost: bool) -> str:
    """What is still available after a kernel restart, since sent files are recorded on disk. *lost* says that the
    service ended with the kernel.
    """
    sent = sum(each.status in ("queued", "translating", "ready", "downloading") for each in documents)
    if not sent:
        return ""
    files = plural(sent, "sent file", "sent files")
    if lost:
        return f"{files} {'is' if sent == 1 else 'are'} gone with the embedded service, and not billed."
    return f"{files} can be fetched here; nothing is billed twice."


def _short(folder: Path) -> str:
    """The folder relative to the working or home directory, because a saved notebook need not say where it was made."""
    for home, mark in ((Path.cwd(), Path()), (Path.home(), Path("~"))):
        if folder.is_relative_to(home):
            return str(mark / folder.relative_to(home))
    return str(folder)


def results(documents: Sequence[DocumentFile], folder: Path, *, refused: int) -> list[Figure]:
    """The results of files as figures: how many are ready or not, what was billed, and where the translations are.

    *refused* more cannot be sent.
    """
    counts = Counter(standing(each) for each in documents)
    counts[STATUS[REFUSED]] += refused
    written = [each for each in documents if each.status in WRITTEN]
    billed = sum(each.billed or 0 for each in written if each.ran_into == each.target)
    before = sum(each.billed or 0 for each in written) - billed
    found = [figure("Ready", f"{counts.pop('Ready', 0):,} of {plural(len(documents), 'file')}", key="main")]
    for name, count in (+counts).items():
        bad = name in (
            "Failed",
            "Paused",
            "Not translated",
            "Only in part",
            "Cannot be sent",
            "Result is gone",
            UNFETCHED,
        )
        found.append(figure(name, count, "see Reason" if bad else "", key="warning" if bad else ""))
    found += [figure("Billed", billed, unit="character")] if billed else []
    found += [figure("Billed before", before, unit="character")] if before else []
    found += [figure("Saved in", _short(folder))] if written else []
    return found


def ended(
    documents: Sequence[DocumentFile], cancelled: bool, *, problem: str = "", untranslated: str = "", refused: int = 0
) -> str:
    """The outcome of a run in one sentence; *problem* ended it early, *untranslated* names missing translators.

    *refused* more cannot be sent.
    """
    counts = Counter(each.status for each in documents)
    bad, paused = sum(counts[each] for each in BAD), sum(each.paused for each in documents)
    sent = [each for each in documents if each.status == TO_FETCH]
    cost = f" for {amount(sent)}" if amount(sent) else ""
    parts = [f"{counts[DONE]:,} of {plural(len(documents), 'file')} translated"]
    parts += [untranslated] if untranslated else []
    parts += [f"{bad:,} failed: {reason(documents).rstrip(' .') or 'see Reason'}"] if bad and not problem else []
    parts += [f"{plural(len(sent), 'file was', 'files were')} sent and can be fetched{cost}"] if sent else []
    parts += [f"{refused:,} cannot be sent"] if refused else []
    said = f"{'Cancelled: ' if cancelled and not problem else ''}{'; '.join(parts)}."
    if problem:  # the figures have the counts
        said = f"{problem.rstrip(' .')}. {'You can retry files that were not sent.' if paused else ''}".strip()
    return f"Paused: {said}" if paused else said


def counted(documents: Sequence[DocumentFile]) -> str:
    """How many files were translated, and why the others were not, in counts."""
    counts = Counter(standing(each) for each in documents)
    whys = {STATUS[MARKED]: "not translated (no translator)", "Only in part": "only partly translated"}
    parts = [f"{counts[name]:,} {text}" for name, text in whys.items() if counts[name]]
    bad = sum(each.status in BAD for each in documents)
    parts += [f"{bad:,} failed"] if bad else []
    said = f"{counts[STATUS[DONE]]:,} of {plural(len(documents), 'file')} translated"
    return f"{said}: {', '.join(parts)}" if parts else said


def reason(documents: Sequence[DocumentFile]) -> str:
    """Why files have no translation: the first reason that does not name a file; "" if there is none."""
    found = [
        one_line(_in_panel(each.error)) for each in documents if each.error and each.status not in ("skipped", MARKED)
    ]
    return next((each for each in found if not _names(each, documents)), "")


def problem(error: Exception, documents: Iterable[DocumentFile]) -> str:
    """What went wrong, in a line without file names, because a saved notebook keeps the line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{one_line(error.strerror)}: a file or folder cannot be read or written."
    said = error_line(error)
    return SEE_REASON if _names(said, documents) else said


def _names(text: str, documents: Iterable[DocumentFile]) -> bool:
    """Whether *text* contains the name of a document or of its translation."""
    known = [each for each in documents if each.kind in KINDS]
    names = {each.path.name for each in known} | {each.output.name for each in known if each.output}
    return any(name in text for name in names)


def unfit(reasons: Mapping[str, str]) -> str:
    """Which options are left out, and why."""
    return "\n".join(f"{OPTIONS.get(name, name)} is left out: {why}." for name, why in reasons.items())
