"""What the detect panel says in its line: counts and what to do, never a text."""

from __future__ import annotations

from svc_nb.engine.outcome import RunReport
from svc_nb.panels.detect.results import DetectResults
from svc_nb.panels.detect.run import DetectRun
from svc_nb.panels.parts.error_text import told
from svc_nb.tabular.report import plural


def before(title: str, rows: int) -> str:
    """What can be done now."""
    return f"{plural(rows, 'row')} in {title}. Detecting languages costs nothing; what is known is not asked again."


def progress(report: RunReport) -> str:
    """How far it is."""
    known = f", {report.stored:,} of them known before" if report.stored else ""
    failed = f"; {report.failed:,} failed" if report.failed else ""
    return f"{report.finished:,} of {plural(report.rows, 'row')}{known}{failed}"


def found(results: DetectResults) -> str:
    """What came of it."""
    known = int(results.mix["language"].notna().sum())
    look, own = len(results.to_look_at), len(results.labels.own)
    parts = [f"{plural(known, 'language')} in {plural(len(results.texts), 'row')}"]
    parts.append(f"{plural(look, 'row')} to look at" if look else "no rows to look at")
    if own:
        parts.append(f"{plural(own, 'row')} relabelled by hand")
    return f"{'; '.join(parts)}."


def trouble(run: DetectRun) -> tuple[str, Exception | None]:
    """What went wrong with a run, in a sentence or two, and the error; nothing where nothing did."""
    report = run.report
    known = f"{report.done:,} of {plural(report.rows, 'row')} are known and kept; go on with the rest any time."
    kept = known if report.done else "Nothing is lost: try again any time."
    error = report.error
    if isinstance(error, Exception):
        return f"{_line(error)} {kept}", error
    if report.failed and report.causes:
        first = next(iter(report.causes.values()))
        return f"{plural(report.failed, 'row')} failed: {_line(first)} {kept}", first
    if report.failed:
        return f"{plural(report.failed, 'row')} could not be asked about, as they hold no text.", None
    if run.cancelled:
        return f"Stopped: {kept}", None
    return "", None


def _line(error: Exception) -> str:
    return told(error).rstrip(". ") + "."
