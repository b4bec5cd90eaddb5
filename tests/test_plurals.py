"""Messages with counts are right for one as for many: every count that can be 1 goes through `plural`."""

import ast
import re
from pathlib import Path

import pandas as pd
import pytest

import svc_nb
from svc_nb import documents, glossaries, memories, spoken_terms, style_rules
from svc_nb.tabular.report import plural

PACKAGE = Path(svc_nb.__file__).parent
# A count is followed by its noun, perhaps with something between, as in "3 of 5 different texts".
NOUNS = """
    answers backups bytes cells changes characters checks codes columns conflicts days documents entries errors
    files findings glossaries groups hours instructions keys labels languages lines lists memories messages minutes
    names notes others pages pairs parts placeholders requests rows rules runs seconds segments sentences settings
    sheets spaces steps terms texts times translations tries units values variants warnings words""".split()  # noqa: SIM905
NOUN = re.compile(rf" (?:(?!has|it|for|in|of|and|on)[a-z][a-z-]* )?(?:{'|'.join(NOUNS)})\b")
# What agrees with a count that stands before it.
AGREES = re.compile(r"^ (?:of [a-z ]+ )?(?:is|are|was|were|has|have|does|do|differ|needs?)\b|\b(?:they|them|their)\b")
# Counts that are never 1: beyond a limit, of things that are there more than once, or measured.
NEVER_ONE = {
    "checks/characters.py": {"len(new[0][0])"},
    "checks/findings.py": {"len(CHECKS)"},
    "checks/placeholders.py": {"found"},
    "checks/punctuation.py": {"len(found[0])"},
    "checks/service_terms.py": {"size", "tape.sizes[row]"},
    "checks/wording.py": {"len(rows)"},
    "cli/file_commands.py": {"count"},
    "cli/output_file.py": {"size"},
    "columns/hints.py": {"self.about"},
    "columns/selection.py": {"given.shape[1]"},
    "demo.py": {
        "reviews['language'].nunique()",
        "capped.usage_limits.characters",
        "made.billed_characters",
        "used['total_characters'].sum()",
    },
    "engine/plan.py": {"size"},
    "errors.py": {"found", "self.tries"},
    "glossaries/cell_table.py": {"len(row)"},
    "glossaries/dictionaries.py": {"len(fields)"},
    "glossaries/sync.py": {"len(known)", "size"},
    "keys/changes.py": {"counts[cell]"},
    "keys/table.py": {"len(active)"},
    "panels/detect/results.py": {"len(places)"},
    "panels/parts/upload.py": {"size"},
    "panels/usage/view.py": {"minutes"},
    "spoken_terms/lint.py": {"sizes[lang]"},
    "style_rules/files.py": {"limit"},
    "style_rules/lint.py": {"len(name)", "len(instructions)", "len(text)"},
    "tabular/ods.py": {"last - number"},
    "tabular/streaming/separated.py": {"most"},
    "usage/table.py": {"speech"},
    "wire/client/style_rules.py": {"stale"},
}


def values(text: str) -> list[tuple[ast.expr, str]]:
    """The values in the f-strings of a source, each with what is written behind it, up to the end of the sentence."""
    found = []
    for node in ast.walk(ast.parse(text)):
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        written = [each.value if isinstance(each, ast.Constant) else "{}" for each in parts]
        for place, part in enumerate(parts):
            if isinstance(part, ast.FormattedValue) and not "".join(written[:place]).endswith("None of "):
                found.append((part.value, re.split(r"[.;:](?:\s|$)", "".join(written[place + 1 :]))[0]))
    return found


def uncounted(text: str) -> list[str]:
    """The values with a plural noun behind them that `plural` does not make, but for constants."""
    return [
        ast.unparse(value)
        for value, rest in values(text)
        if NOUN.match(rest)
        and not re.match(
            r"plural\(|[A-Z_]+\b|.*\b(?:Call|Option|Setting|excerpt|quoted|around|step|path)", ast.unparse(value)
        )
    ]


def disagreeing(text: str) -> list[str]:
    """The counted nouns with a verb or a pronoun behind them, which would have to agree."""
    return [
        ast.unparse(value) + rest
        for value, rest in values(text)
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "plural" and AGREES.search(rest)
    ]


def sources() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "service" not in path.relative_to(PACKAGE).parts]


def test_every_count_that_can_be_one_goes_through_the_one_function():
    found = {str(path.relative_to(PACKAGE)): set(uncounted(path.read_text("utf-8"))) for path in sources()}
    left = {name: some - NEVER_ONE.get(name, set()) for name, some in found.items()}
    assert {name: some for name, some in left.items() if some} == {}
    assert {name: some - found[name] for name, some in NEVER_ONE.items() if some - found[name]} == {}


def test_no_verb_has_to_agree_with_a_noun_that_was_counted():
    found = {str(path.relative_to(PACKAGE)): disagreeing(path.read_text("utf-8")) for path in sources()}
    assert {name: some for name, some in found.items() if some} == {}


@pytest.mark.parametrize(
    "wrong",
    [
        'f"{count:,} texts stayed as they were"',
        'f"{len(done)} of {len(rows):,} rows failed"',
        "f\"{plural(count, 'text')} stayed as they were\"",
        "f\"{plural(count, 'row')} were not sent\"",
    ],
)
def test_a_message_that_is_wrong_for_one_is_found(wrong):
    assert uncounted(wrong) or disagreeing(wrong)


@pytest.mark.parametrize(
    "right", ["f\"{plural(count, 'text was', 'texts were')} skipped\"", 'f"at most {MOST} rows"', 'f"{name} was sent"']
)
def test_a_message_that_is_right_is_not(right):
    assert not uncounted(right)
    assert not disagreeing(right)


def test_no_one_and_many():
    assert [plural(count, "entry", "entries") for count in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]


ONE = re.compile(
    r"\b1 (?:[a-z]+ )?(?:[a-z]+[^s\W]s|entries)\b|\b1 \w+ (?:are|were|have)\b|\b1 (?:\w+ )*(?:they|them)\b"
)


def test_real_runs_of_one_text_say_one(connected, unwarned, tmp_path):
    texts = pd.Series(["Guten Tag"])
    terms = pd.DataFrame({"source_lang": ["DE"], "target_lang": ["EN"], "source": ["Tag"], "target": ["day"]})
    path = memories.write(terms, tmp_path / "one.tmx")
    (tmp_path / "one.txt").write_text("Guten Tag")
    style = style_rules.Style(None, [svc_nb.wire.models.CustomInstruction("a", "b")], name="n", language="en")
    told = [
        texts.svc.plan("EN-US", source_lang="DE"),
        texts.svc.check(texts, target_lang="EN"),
        (texts.svc.translate("EN-US", source_lang="DE"), svc_nb.last_run())[1],
        texts.svc.clean_plan(),
        texts.svc.near_duplicates(),
        glossaries.lint(terms),
        glossaries.push(terms, "One"),
        glossaries.list(),
        glossaries.pull("One"),
        glossaries.diff(terms.assign(target="days"), "One"),
        glossaries.history(),
        glossaries.undo("One"),
        memories.read(path),
        memories.lint(terms),
        memories.push(path),
        memories.list(),
        memories.search("one", "Tag"),
        memories.delete("one"),
        spoken_terms.push(pd.DataFrame({"lang": ["DE"], "term": ["Tag"]}), "One"),
        style_rules.push(style),
        style_rules.list(),
        style,
        documents.plan(tmp_path / "one.txt", target_lang="EN-US"),
        svc_nb.usage("1 day"),
    ]
    said = [getattr(each, "said", None) or repr(each) for each in told]
    assert [each for each in said if ONE.search(each)] == []
