"""What the tests notice: sixty small faults, put into a copy of the package one at a time, and the tests run on it.

    python tests/faults.py [--quick] [NAME ...]

Each fault is a slip that a person could make, in one place, and that a user or a client of the service could meet. They
were chosen from the source alone, not from the tests. The tests of its part of the suite run on it: first those of
`make test`, and where all of them pass, unless `--quick` is given, the rest of `make test-all`. The checkout itself is
never changed. Without a fault all tests must pass: one that fails anyway would count as having noticed it.

Exit codes: 0 all were caught, 1 some were missed, 2 no such fault, a fault that no longer fits the source, or pytest
could not run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "worksteal")
QUICK, REST = "quick", "not quick or hypothesis"  # what `make test` runs, and what is left to `make test-all`
CAUGHT, CAUGHT_LATE, MISSED, BROKEN = "caught by make test", "caught by make test-all", "missed", "broken"
TAIL = 30  # lines of what pytest said, where it could not run


@dataclass(frozen=True)
class Fault:
    """In *file*, *was* (which must occur exactly once) becomes *now*; *tests* are the tests that should notice."""

    name: str
    file: str
    was: str
    now: str
    tests: tuple[str, ...]

    def applies(self) -> bool:
        """Whether the text is still there, once."""
        path = ROOT / self.file
        return path.is_file() and path.read_text("utf-8").count(self.was) == 1


def main(words: Sequence[str] | None = None) -> int:
    """Try the faults that *words* name, or all of them, and give the code to exit with."""
    parser = argparse.ArgumentParser(description="Measure which faults the tests notice.")
    parser.add_argument("--quick", action="store_true", help="run only the tests of `make test`")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these faults, by the beginning of their names")
    options = parser.parse_args(words)
    for name in options.names:
        if not any(fault.name.startswith(name) for fault in FAULTS):
            names = [fault.name for fault in FAULTS]
            parser.error("\n  ".join([f"no fault begins with {name!r}; there are", *names]))
    chosen = [fault for fault in FAULTS if fault.name.startswith(tuple(options.names or [""]))]
    if stale := [fault for fault in chosen if not fault.applies()]:
        for fault in stale:
            print(f"{fault.name}: its text is not exactly once in {fault.file}")
        return 2
    found: dict[str, list[Fault]] = {CAUGHT: [], CAUGHT_LATE: [], MISSED: [], BROKEN: []}
    with tempfile.TemporaryDirectory(prefix="svc_nb-faults-") as folder:
        copy_checkout(Path(folder))
        for fault in chosen:
            began = time.monotonic()
            result, said = with_fault(Path(folder), fault, quick=options.quick)
            found[result].append(fault)
            print(f"{result}: {fault.name}, {time.monotonic() - began:.0f} s  {said}".rstrip(), flush=True)
    for result, faults in found.items():
        print(f"{result}: {len(faults)} of {len(chosen)}")
    return 2 if found[BROKEN] else 1 if found[MISSED] else 0


def copy_checkout(folder: Path) -> None:
    """Copy all files that git knows, or would add, into *folder*: whoever kills this leaves no fault behind."""
    listed = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def with_fault(copy: Path, fault: Fault, *, quick: bool) -> tuple[str, str]:
    """Put *fault* into *copy*, run its tests and take it out again; gives what came of it, and the test that failed."""
    path = copy / fault.file
    whole = path.read_bytes()
    path.write_bytes(whole.decode().replace(fault.was, fault.now).encode())
    try:
        for chosen, result in ((QUICK, CAUGHT), *(() if quick else ((REST, CAUGHT_LATE),))):
            code, lines = tested(copy, fault, chosen)
            failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
            if failed and any("stopping after" in line for line in lines):
                return result, failed[0].partition(" - ")[0]
            if code not in (0, 5):  # all passed, none was chosen
                return BROKEN, "\n".join([f"pytest ended with {code}:", *lines[-TAIL:]])
        return MISSED, ""
    finally:
        path.write_bytes(whole)
        shutil.rmtree(copy / ".hypothesis", ignore_errors=True)  # the next fault has examples of its own


def tested(copy: Path, fault: Fault, chosen: str) -> tuple[int, list[str]]:
    """How pytest ended on the tests of *fault* that the expression *chosen* selects, and what it said."""
    # The copy comes before an installed package, also in processes that tests start.
    own = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "HYPOTHESIS_PROFILE": "quick" if chosen == QUICK else "full",
    }
    done = subprocess.run(
        [sys.executable, *PYTEST, "-m", chosen, *fault.tests],
        cwd=copy,
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="replace",
    )
    return done.returncode, done.stdout.splitlines()


GLOSSARIES = ("tests/glossaries", "tests/glossaries/test_glossaries_surface.py")
STYLE_RULES = ("tests/style_rules", "tests/style_rules/test_style_rules_surface.py")
MEMORIES = ("tests/memories", "tests/memories/test_memories_surface.py", "tests/wire/test_memories.py")
DOCUMENTS = ("tests/documents", "tests/documents/test_documents_surface.py")
COLUMNS = (
    "tests/columns/test_translate.py",
    "tests/columns/test_job.py",
    "tests/accessor/test_column_accessor.py",
)
FORMATS = ("tests/service/formats", "tests/service/test_document_kinds.py")

FAULTS = (
    # ---- batch and frames
    Fault(
        "a-text-that-costs-just-what-is-left-of-the-budget-is-not-sent",
        "svc_nb/engine/plan.py",
        "        if cost > budget:\n",
        "        if cost >= budget:\n",
        ("tests/engine", *COLUMNS),
    ),
    Fault(
        "answers-that-were-cleared-are-still-given-in-the-same-process",
        "svc_nb/engine/store.py",
        "        self._forget_read()\n        self._database.shrink()",
        "        self._database.shrink()",
        ("tests/engine", "tests/test_store_surface.py", "tests/usage/test_ledger.py"),
    ),
    Fault(
        "a-style-rule-list-that-was-changed-does-not-ask-for-texts-again",
        "svc_nb/columns/operations.py",
        "normal(target_lang), asked, style_version])",
        "normal(target_lang), asked])",
        (*COLUMNS, *STYLE_RULES, "tests/columns/test_glossary.py", "tests/columns/test_shapes.py"),
    ),
    Fault(
        "a-translated-document-that-a-person-has-edited-is-replaced",
        "svc_nb/documents/outputs.py",
        "made.target_lang.lower() == item.target_lang.lower() and is_intact(made)",
        "made.target_lang.lower() == item.target_lang.lower()",
        DOCUMENTS,
    ),
    Fault(
        "of-three-targets-of-a-term-keep-last-leaves-two",
        "svc_nb/glossaries/fix.py",
        '            dropped[holder] = (source, "conflict")\n            held[first] = row\n',
        '            dropped[holder] = (source, "conflict")\n',
        (*GLOSSARIES, "tests/accessor/test_table_accessor.py", "tests/panels/glossary"),
    ),
    Fault(
        "a-memory-is-deleted-before-the-one-that-replaces-it-is-there",
        "svc_nb/memories/sync.py",
        "        made, skipped = _imported(client, upload, name, on_bytes=on_bytes)\n",
        "        for each in before:\n            client.memories.delete(each.translation_memory_id)\n"
        "        made, skipped = _imported(client, upload, name, on_bytes=on_bytes)\n",
        MEMORIES,
    ),
    Fault(
        "an-empty-translation-far-down-is-told-of-a-row-far-up",
        "svc_nb/checks/check.py",
        "found += (one._replace(row=first + one.row) for one in lacking)",
        "found += lacking",
        ("tests/checks", "tests/accessor/test_column_accessor.py", "tests/panels/translate"),
    ),
    Fault(
        "a-list-of-spoken-terms-that-just-fits-is-refused",
        "svc_nb/spoken_terms/lint.py",
        "sizes[key] = sizes.get(key, -1) + len(term) + 1",
        "sizes[key] = sizes.get(key, 0) + len(term) + 1",
        (
            "tests/spoken_terms",
            "tests/spoken_terms/test_spoken_terms_surface.py",
            "tests/contract/test_limits.py",
        ),
    ),
    Fault(
        "a-cloned-style-loses-the-source-language-that-its-instructions-meant",
        "svc_nb/style_rules/clone.py",
        "    meant = meant if style.language is None else meant.fillna(normal(style.language))\n",
        "",
        (*STYLE_RULES, "tests/panels/style_rules"),
    ),
    Fault(
        "the-forecast-takes-today-for-a-day-that-is-over",
        "svc_nb/usage/forecast.py",
        "    known[-1] = False  # today is not over\n",
        "",
        ("tests/usage", "tests/plots/test_caps.py", "tests/panels/test_usage_panel.py"),
    ),
    Fault(
        "undo-takes-back-caps-that-the-service-had-refused",
        "svc_nb/keys/changes.py",
        "        if was_refused(error):\n            tried.pop()\n        error.add_note(",
        "        error.add_note(",
        ("tests/keys/test_keys_surface.py", "tests/panels/test_caps.py"),
    ),
    # ---- client, transport and settings
    Fault(
        "a-listing-of-style-rules-ends-after-its-first-full-page",
        "svc_nb/wire/client/style_rules.py",
        "            if len(found) < page_size:\n",
        "            if len(found) <= page_size:\n",
        ("tests/wire", *STYLE_RULES),
    ),
    Fault(
        "a-file-goes-over-plain-http-where-the-service-itself-has-https",
        "svc_nb/wire/connection.py",
        "same = (asked.scheme, asked.netloc) == (own.scheme, own.netloc)",
        "same = asked.netloc == own.netloc",
        ("tests/wire", "tests/memories"),
    ),
    Fault(
        "a-connection-that-gave-a-second-answer-is-used-again",
        "svc_nb/wire/answer.py",
        "return self.whole and self._kept and not self._surplus",
        "return self.whole and self._kept",
        ("tests/wire",),
    ),
    Fault(
        "a-timestamp-of-use-counts-for-the-day-of-its-own-zone",
        "svc_nb/wire/models/base.py",
        "return (moment.astimezone(UTC) if moment.tzinfo else moment).date()",
        "return moment.date()",
        ("tests/wire/test_models.py", "tests/wire/test_admin.py", "tests/usage"),
    ),
    Fault(
        "half-of-a-key-can-stand-at-the-end-of-an-error-page",
        "svc_nb/errors.py",
        '_plain(hide(body.decode("utf-8", "replace"))[:LOOK_INTO])',
        '_plain(hide(body.decode("utf-8", "replace")[:LOOK_INTO]))',
        ("tests/test_errors.py", "tests/wire", "tests/test_secret.py"),
    ),
    Fault(
        "the-key-goes-to-the-free-host-over-plain-http",
        "svc_nb/settings.py",
        '        for name in ("base_url", "free_base_url"):\n            parts = urlsplit(',
        '        for name in ("base_url",):\n            parts = urlsplit(',
        ("tests/test_settings.py", "tests/test_session.py", "tests/cli/test_doctor.py"),
    ),
    Fault(
        "a-key-that-is-written-in-other-case-is-not-hidden",
        "svc_nb/secret.py",
        "STARS, text, flags=re.IGNORECASE)",
        "STARS, text)",
        ("tests/test_secret.py", "tests/wire", "tests/test_errors.py"),
    ),
    Fault(
        "a-later-sessions-pool-size-does-not-count",
        "svc_nb/session.py",
        "        self.gate.ceiling = settings.pool_size  # the latest session's settings apply\n",
        "",
        ("tests/test_session.py", "tests/test_settings.py", "tests/columns/test_faults.py"),
    ),
    # ---- what a person calls
    Fault(
        "a-service-named-with-a-slash-at-its-end-is-reconciled-with-no-run",
        "svc_nb/usage/__init__.py",
        'else service.rstrip("/")',
        "else service",
        ("tests/usage/test_usage_surface.py", "tests/usage/test_ledger.py"),
    ),
    Fault(
        "the-writing-style-for-a-frame-goes-out-as-its-tone",
        "svc_nb/accessor/frame.py",
        '"writing_style": writing_style, "tone": tone}\n        return finished',
        '"writing_style": tone, "tone": writing_style}\n        return finished',
        (
            "tests/accessor/test_column_accessor.py",
            "tests/columns/test_improvement.py",
            "tests/columns/test_changes.py",
        ),
    ),
    Fault(
        "a-files-name-can-send-commands-to-the-terminal-from-its-bar",
        "svc_nb/documents/job.py",
        'name = "".join(letter if letter.isprintable() else "?" for letter in file.path.name)',
        "name = file.path.name",
        ("tests/test_progress.py", *DOCUMENTS),
    ),
    Fault(
        "the-legend-of-stacked-days-stands-upside-down",
        "svc_nb/plots/usage.py",
        "for name in reversed(days.columns)]",
        "for name in days.columns]",
        ("tests/plots", "tests/panels/test_usage_panel.py"),
    ),
    Fault(
        "a-sample-review-without-a-language-has-an-empty-one",
        "svc_nb/samples/__init__.py",
        'keep_default_na=False, na_values={"language": [""]})',
        "keep_default_na=False)",
        ("tests/test_samples.py", "tests/test_demo.py", "tests/test_docs.py", "tests/test_doctests.py"),
    ),
    Fault(
        "the-demo-shows-no-cap-because-it-uses-the-sessions-own-key",
        "svc_nb/demo.py",
        "Transport(replace(session.settings, api_key=made.api_key))",
        "Transport(session.settings)",
        ("tests/test_demo.py", "tests/cli/test_command.py"),
    ),
    Fault(
        "an-apostrophe-breaks-the-front-matter",
        "svc_nb/notebooks/markup/markdown.py",
        """"'" + text.replace("'", "''") + "'\"""",
        """"'" + text + "'\"""",
        ("tests/notebooks", "tests/notebooks/test_translate_notebook.py"),
    ),
    Fault(
        "texts-of-a-notebook-that-are-sent-again-have-a-budget-of-their-own",
        "svc_nb/notebooks/run.py",
        "left = None if budget is None else max(budget - self.billed, 0)",
        "left = budget",
        (
            "tests/notebooks/test_translate_notebook.py",
            "tests/test_notebooks.py",
            "tests/cli/test_resources.py",
        ),
    ),
    Fault(
        "nbconvert-leaves-comments-alone-though-they-are-asked-for",
        "svc_nb/notebooks/preprocessor.py",
        "            code=self.code,\n",
        "",
        ("tests/notebooks/test_translate_notebook.py", "tests/browser/test_notebooks.py"),
    ),
    # ---- panels, magics, JupyterLab and the command line
    Fault(
        "a-push-from-the-panel-overwrites-what-came-since-its-question",
        "svc_nb/panels/glossary/push.py",
        "glossary_id=glossary_id, name=name, base=base",
        "glossary_id=glossary_id, name=name, base=None",
        ("tests/panels/glossary", "tests/browser/test_glossary_panel.py"),
    ),
    Fault(
        "an-emoji-counts-twice-in-the-room-that-a-prompt-has-left",
        "svc_nb/panels/front/style_rules/instructions.js",
        "const length = [...text].length; // characters, as the service counts them",
        "const length = text.length;",
        ("tests/panels/style_rules", "tests/browser/test_style_rules_panel.py"),
    ),
    Fault(
        "a-warning-hides-the-error-of-the-same-row-in-the-result",
        "svc_nb/panels/translate/run.py",
        'for severity in ("warning", "error"):',
        'for severity in ("error", "warning"):',
        ("tests/panels/translate", "tests/browser/test_translate_panel.py"),
    ),
    Fault(
        "two-translations-of-one-name-are-one-file-in-the-zip",
        "svc_nb/panels/documents/files.py",
        "    taken.add(found.casefold())\n",
        "",
        ("tests/panels/documents", "tests/browser/test_documents_panel.py"),
    ),
    Fault(
        "a-label-by-hand-stays-when-the-text-of-its-row-has-changed",
        "svc_nb/panels/detect/results.py",
        "zip(old.tolist(), new.tolist(), same, strict=True) if kept}",
        "zip(old.tolist(), new.tolist(), same, strict=True)}",
        ("tests/panels/detect", "tests/browser/test_detect_panel.py"),
    ),
    Fault(
        "a-cap-that-is-written-while-another-is-sent-is-forgotten",
        "svc_nb/panels/usage/caps.py",
        "if column in own and own[column] == limit:",
        "if column in own:",
        (
            "tests/panels/test_caps.py",
            "tests/panels/test_usage_panel.py",
            "tests/browser/test_usage_panel.py",
        ),
    ),
    Fault(
        "quotes-in-a-copied-cell-with-a-line-break-are-not-doubled",
        "svc_nb/panels/front/grid/7-block.js",
        """`"${text.replaceAll('"', '""')}"`""",
        """`"${text}"`""",
        ("tests/browser/test_grid.py", "tests/browser/test_glossary_panel.py", "tests/panels/test_grid.py"),
    ),
    Fault(
        "a-budget-of-0-in-a-magic-is-no-budget-at-all",
        "svc_nb/magics/line.py",
        "budget = (self.defaults.budget or None) if self.options.budget is None else self.options.budget",
        "budget = self.options.budget or self.defaults.budget or None",
        ("tests/magics", "tests/browser/test_magics.py"),
    ),
    Fault(
        "the-sidebar-shows-the-quota-of-its-first-question-for-ever",
        "svc_nb/lab/__init__.py",
        "    with _lock:\n        _asked.pop(session, None)\n    return future.result()",
        "    return future.result()",
        ("tests/lab/test_lab.py", "tests/lab/test_extension.py", "tests/browser/test_lab_extension.py"),
    ),
    Fault(
        "translate-with-gaps-exits-as-if-all-were-well",
        "svc_nb/cli/file_commands.py",
        "    return FAILED if missing else NOT_TRANSLATED",
        "    return 0 if missing else NOT_TRANSLATED",
        ("tests/cli",),
    ),
    # ---- clusters
    Fault(
        "texts-that-failed-are-not-asked-for-again-when-a-lazyframe-is-collected-again",
        "svc_nb/clusters/polars.py",
        "self._known = known if pairs.is_whole else None",
        "self._known = known",
        (
            "tests/clusters/test_polars.py",
            "tests/clusters/test_polars_lazy.py",
            "tests/clusters/test_verbs.py",
        ),
    ),
    Fault(
        "a-column-that-duckdb-takes-for-one-that-is-there-is-added",
        "svc_nb/clusters/duckdb.py",
        "other = there.setdefault(name.lower(), name)",
        "other = there.setdefault(name, name)",
        ("tests/clusters/test_duckdb.py", "tests/clusters/test_verbs.py", "tests/test_doctests.py"),
    ),
    Fault(
        "gaps-in-a-dask-table-are-not-counted",
        "svc_nb/clusters/dask/partition.py",
        "tally.groupby(keys, dropna=False, sort=sort)",
        "tally.groupby(keys, sort=sort)",
        ("tests/clusters/on_dask", "tests/clusters/test_verbs.py"),
    ),
    Fault(
        "a-key-among-the-options-of-sparks-executors-is-not-refused",
        "svc_nb/clusters/spark/fleet.py",
        '            or any(f"{key}=" in value for key in KEYS)\n',
        "",
        ("tests/clusters/on_spark", "tests/clusters/test_fleet.py"),
    ),
    Fault(
        "two-workers-pay-for-one-text-whose-language-is-written-in-two-cases",
        "svc_nb/clusters/fleet.py",
        '(language or "").strip().upper() for language',
        '(language or "") for language',
        (
            "tests/clusters/test_fleet.py",
            "tests/clusters/on_dask",
            "tests/clusters/on_spark",
            "tests/test_doctests.py",
        ),
    ),
    # ---- the embedded service
    Fault(
        "a-key-without-any-scope-may-do-everything",
        "svc_nb/service/keys.py",
        "if self.scopes is not None and scope not in self.scopes:",
        "if self.scopes and scope not in self.scopes:",
        (
            "tests/service/test_access.py",
            "tests/service/test_administration.py",
            "tests/contract",
            "tests/test_doctests.py",
        ),
    ),
    Fault(
        "the-last-character-of-a-cap-cannot-be-used",
        "svc_nb/service/ledger.py",
        "by_key + characters > cap",
        "by_key + characters >= cap",
        (
            "tests/service/test_ledger.py",
            "tests/service/test_administration.py",
            "tests/contract/test_limits.py",
        ),
    ),
    Fault(
        "a-merge-into-a-glossary-keeps-the-old-target",
        "svc_nb/service/resources/glossaries.py",
        "{**known, **terms}",
        "{**terms, **known}",
        (
            "tests/service/test_glossary_operations.py",
            "tests/service/test_entries.py",
            "tests/wire/test_glossaries.py",
            *GLOSSARIES,
        ),
    ),
    Fault(
        "a-style-rule-list-has-the-same-version-without-an-instruction",
        "svc_nb/service/resources/style_rules.py",
        'connection.remove("instructions", id=instruction_id)\n        _raise_version(call, connection)\n',
        'connection.remove("instructions", id=instruction_id)\n',
        (
            "tests/service/test_style_rule_operations.py",
            "tests/wire/test_style_rules.py",
            *STYLE_RULES,
            "tests/panels/style_rules",
        ),
    ),
    Fault(
        "documents-that-a-key-fetches-at-once-pass-its-cap",
        "svc_nb/service/documents/storage.py",
        "payer, document.characters + own, others=others",
        "payer, document.characters, others=others",
        (
            "tests/service/test_document_operations.py",
            "tests/service/test_document_keeping.py",
            "tests/service/test_ledger.py",
            "tests/wire/test_documents.py",
        ),
    ),
    Fault(
        "a-part-of-an-office-file-that-is-listed-in-other-case-is-left-as-it-is",
        "svc_nb/service/formats/office.py",
        """.lstrip("/").casefold()] = kind  # names of parts count in any case
        usual[entry.get("Extension", "").casefold()] = kind
    found = {
        name: own.get(name.casefold()) or""",
        """.lstrip("/")] = kind
        usual[entry.get("Extension", "").casefold()] = kind
    found = {
        name: own.get(name) or""",
        FORMATS,
    ),
    Fault(
        "the-mark-of-a-note-stays-where-its-word-was",
        "svc_nb/service/formats/docx.py",
        "attached=name in _NOTES",
        "attached=False",
        FORMATS,
    ),
    Fault(
        "a-pattern-in-a-formula-finds-cells-that-it-did-not-find",
        "svc_nb/service/formats/formulas.py",
        "before(text) != after(name)",
        "before(text) > after(name)",
        FORMATS,
    ),
    Fault(
        "two-columns-of-a-table-in-a-workbook-get-one-name",
        "svc_nb/service/formats/xlsx.py",
        "if len(set(new)) < len(new) or not all(new):",
        "if not all(new):",
        FORMATS,
    ),
    Fault(
        "the-largest-heading-of-a-pdf-is-plain-text-in-its-docx",
        "svc_nb/service/formats/pages/flow.py",
        "min(3, larger.index(size) + 1) if heading else 0",
        "min(3, larger.index(size)) if heading else 0",
        FORMATS,
    ),
    Fault(
        "notranslate-is-not-seen-among-several-classes",
        "svc_nb/service/translation/tags.py",
        '"notranslate" in values.get("class", "").split()',
        'values.get("class", "") == "notranslate"',
        FORMATS,
    ),
    Fault(
        "a-subtitle-of-three-lines-is-broken-too-early",
        "svc_nb/service/formats/text.py",
        "wanted += len(text) * length / whole",
        "wanted = len(text) * length / whole",
        FORMATS,
    ),
    Fault(
        "a-target-that-was-approved-as-a-copy-of-its-source-is-translated",
        "svc_nb/service/formats/xliff.py",
        'if state or value_of(found[at].raw, "approved") == "yes":',
        "if state:",
        FORMATS,
    ),
    Fault(
        "a-memory-puts-two-of-something-where-it-knows-one",
        "svc_nb/service/memories/storage.py",
        "if not plain or {old, new} & _SINGULAR or kept[old] != 1",
        "if not plain or kept[old] != 1",
        (
            "tests/service/test_fuzzy_match.py",
            "tests/service/test_memory_operations.py",
            *MEMORIES,
            "tests/test_doctests.py",
        ),
    ),
    Fault(
        "traditional-chinese-is-translated-as-if-it-were-simplified",
        "svc_nb/service/translators/__init__.py",
        'if target in (base, "zh-hant"):',
        "if target == base:",
        (
            "tests/service/test_translators.py",
            "tests/service/test_ctranslate.py",
            "tests/service/test_apertium.py",
            "tests/service/test_translate_operation.py",
        ),
    ),
    Fault(
        "a-text-of-hashtags-alone-has-no-language",
        "svc_nb/service/detector.py",
        "return bare if _WORDY.search(bare) else text",
        "return bare",
        ("tests/service/test_detector.py", "tests/wire/test_detection.py", "tests/test_demo.py"),
    ),
    Fault(
        "a-request-that-found-no-room-takes-the-room-of-others",
        "svc_nb/service/faults.py",
        "                full.taken += 1\n                held = []\n",
        "                full.taken += 1\n",
        ("tests/service/test_faults.py", "tests/columns/test_faults.py", "tests/test_doctests.py"),
    ),
    Fault(
        "a-voice-token-is-good-for-a-second-reconnect",
        "svc_nb/service/voice_sessions.py",
        "            known = self._known(token, SESSION_LIFE)\n            del self._tokens[token]\n",
        "            known = self._known(token, SESSION_LIFE)\n",
        ("tests/service/test_voice_operations.py", "tests/wire/test_voice.py", "tests/contract"),
    ),
    Fault(
        "a-word-is-corrected-though-another-is-nearly-as-likely",
        "svc_nb/service/improvement.py",
        "best >= CLEAR * likely[1][0]",
        "best > likely[1][0]",
        (
            "tests/service/improvement",
            "tests/service/test_writing_operations.py",
            "tests/columns/test_improvement.py",
            "tests/test_doctests.py",
        ),
    ),
    Fault(
        "the-last-day-of-the-sample-is-over",
        "svc_nb/service/sample.py",
        "[booking for booking in bookings if booking.at < _moment(until, NOON)]",
        "list(bookings)",
        (
            "tests/service/test_sample.py",
            "tests/usage",
            "tests/test_demo.py",
            "tests/test_doctests.py",
        ),
    ),
)


if __name__ == "__main__":
    sys.exit(main())
