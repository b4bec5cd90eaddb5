"""What a person sees in a real kernel when something is wrong: a few lines, none of them svc_nb's, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from svc_nb import service
from tests.kernel import Kernel, started

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
MOST_LINES = 12
BEGIN = """
import pandas as pd, polars as pl, svc_nb
df = pd.DataFrame({"review": ["The dog.", "A cat."], "stars": [1, 5], "raw": [b"x", b"y"], "tags": [["a"], ["b"]]})
other = pl.DataFrame({"review": ["The dog."], "stars": [1], "tags": [["a"]], "raw": [b"x"]})
svc_nb.connect()
"""


@pytest.fixture(scope="module")
def served() -> Iterator[service.Service]:
    with service.start(memory=True, translators=["pseudo"]) as running:
        yield running


@pytest.fixture(scope="module")
def kernel(served, tmp_path_factory) -> Iterator[Kernel]:
    with started(served, tmp_path_factory.mktemp("kernel")) as kernel:
        assert kernel.runs(BEGIN)["reply"]["status"] == "ok"
        yield kernel


def shown(kernel: Kernel, cell: str) -> list[str]:
    """The lines of the traceback."""
    ran = kernel.runs(cell)
    assert ran["reply"]["status"] == "error", f"it went well: {ran}"
    return COLOURS.sub("", "\n".join(ran["error"]["traceback"])).splitlines()


MISTAKES = [
    # a column
    ("df.svc.translate('reviw', 'DE')", "NoSuchColumn: there is no column 'reviw'. Did you mean 'review'?"),
    ("svc_nb.translate(df, 'Review', 'DE')", "there is no column 'Review'. Did you mean 'review'?"),
    ("other.svc.translate('reviw', 'DE')", "there is no column 'reviw'. Did you mean 'review'?"),
    ("df.svc.detect('zz')", "There are 'review', 'stars', 'raw' and 'tags'"),
    ("svc_nb.panels.Translate(df, 'reviw')", "Did you mean 'review'?"),
    # an argument
    (
        "df.review.svc.translate()",
        "TypeError: translate() missing 1 required positional argument: 'target_lang'",
    ),
    ("df.svc.plan('review')", "TypeError: plan() missing 1 required positional argument: 'target_lang'"),
    ("other.svc.translate('review')", "TypeError: translate() missing 1 required positional argument"),
    ("df.review.svc.check()", "TypeError: check() missing 1 required positional argument: 'translated'"),
    ("df.review.svc.translate('DE', sorce_lang='EN')", "no option 'sorce_lang'. Did you mean 'source_lang'?"),
    ("df.review.svc.detect(buget=5)", "no option 'buget'. Did you mean 'budget'?"),
    ("df.review.svc.translate('DE', budget='a lot')", "budget: expected"),
    ("svc_nb.usage('fortnight')", "ValueError: start: expected"),
    # a code
    ("df.review.svc.translate('JP')", "Did you mean JA?"),
    ("svc_nb.translate(df, 'review', ['DE', 'Germna'])", "Did you mean DE?"),
    ("other.svc.translate('review', 'XX')", "UnknownLanguage: "),
    ("df.review.svc.translate(5)", "TypeError: target_lang: expected"),
    ("df.review.svc.plan('DE', prize=3)", "there is no option 'prize'. Did you mean 'price'?"),
    ("df.svc.plan('review', 'DE', prize=3)", "there is no option 'prize'. Did you mean 'price'?"),
    # a type
    (
        "df.stars.svc.translate('DE')",
        "expected text, found int, and 1 more such row. Make texts of them with .as",
    ),
    (
        "df.raw.svc.translate('DE')",
        "found bytes, and 1 more such row. Make texts of them with .svc.clean(), or leave gaps",
    ),
    (
        "df.tags.svc.detect()",
        'found list, and 1 more such row. Give the path to the texts in them: df.svc.translate("tags[*]", "DE") or',
    ),
    ("df.review.svc.check(df.raw)", "found bytes. Make texts of them with .svc.clean()."),
    ("other.svc.translate('stars', 'DE')", "expected text, found int64. Cast it to text first."),
    ("other.svc.detect('tags')", "found list(string). Give each item a row of its own first."),
    ("other.svc.detect('raw')", "found binary. Decode it to text first."),
    ("svc_nb.translate(5, 'review', 'DE')", "TypeError: expected a text, a list of texts, a pandas, Polars"),
    ("df.stars.svc.start_translate('DE').result()", "expected text, found int"),
    # a thing that is not there
    ("svc_nb.glossaries.read('none.csv')", "FileNotFoundError: there is no file none.csv"),
    ("svc_nb.glossaries.pull('none')", "NotFound: 404 There is no glossary 'none'"),
    ("svc_nb.connect(bas_url='x')", "bas_url: there is no such setting. Did you mean 'base_url'?"),
]


@pytest.mark.parametrize(("cell", "words"), MISTAKES, ids=[cell for cell, _ in MISTAKES])
def test_a_mistake_is_a_few_lines_with_what_to_do(kernel, cell, words):
    lines = shown(kernel, f"# a cell\n# of several\n# lines\n{cell}\n# and\n# more")
    assert len(lines) <= MOST_LINES
    assert not [line for line in lines if "svc_nb/" in line or "site-packages" in line]
    assert words in lines[-1]
    assert any(line.startswith("----> 4") for line in lines), "the person's own line"


def test_a_wrong_key_and_an_unreachable_server_are_a_few_lines_too(kernel, served):
    wrong = shown(kernel, "svc_nb.connect(api_key='not-a-key')\ndf.review.svc.translate('FR')")
    away = shown(kernel, "svc_nb.connect(base_url='http://127.0.0.1:9', tries=1)\ndf.review.svc.translate('FR')")
    kernel.runs("svc_nb.connect()")
    for lines in (wrong, away):
        assert len(lines) <= MOST_LINES
        assert "svc_nb/" not in "\n".join(lines)
    assert lines[-1].startswith("NotConnected: ")
    assert "Check the address" in lines[-1]
    assert "Check the key (api_key= or SVC_API_KEY)" in wrong[-1]
    assert served.api_key not in "\n".join(wrong + away)


def test_a_persons_own_functions_are_shown(kernel):
    kernel.runs("def germanised(column):\n    return column.svc.translate('DE', budget=-1)")
    lines = shown(kernel, "germanised(df.review)")
    assert any("germanised(column)" in line for line in lines)
    assert lines[-1].startswith("ValueError: budget: ")


def test_a_bug_keeps_its_whole_traceback(kernel):
    kernel.runs(
        "from svc_nb.columns import selection\nkept, selection.labels_of = selection.labels_of, lambda *_: {}['a bug']"
    )
    lines = shown(kernel, "df.svc.translate('review', 'DE')")
    kernel.runs("selection.labels_of = kept")
    assert any("svc_nb/columns/selection.py" in line for line in lines)


def test_all_frames_are_there_for_who_looks_for_them(kernel):
    shown(kernel, "df.svc.translate('reviw', 'DE')")
    modules = (
        "import sys, traceback\n"
        "print([frame.f_globals['__name__'] for frame, _ in traceback.walk_tb(sys.last_value.__traceback__)])"
    )
    assert "svc_nb.columns.selection" in kernel.runs(modules)["stream"]["text"], "what %debug goes through"
    kernel.runs("%xmode Verbose")
    lines = shown(kernel, "df.svc.translate('reviw', 'DE')")
    kernel.runs("%xmode Context")
    assert any("svc_nb/columns/selection.py" in line for line in lines)


def test_completion_shows_options_and_nothing_that_only_svc_nb_uses(kernel):
    kernel.runs("job = df.review.svc.start_translate('DE', source_lang='EN', budget=0)\njob.wait()")
    kernel.runs("detect = df.review.svc.detect")  # to find out what it is through pandas takes Jedi seconds
    found = kernel.asked("complete", "job.", 4)["matches"]
    names = {match.rpartition(".")[2] for match in found}
    assert {"partial", "result", "table"} <= names
    assert not {"desk", "manner", "sheet", "watch", "_desk"} & names
    cell = "detect(bud"
    assert "budget=" in kernel.asked("complete", cell, len(cell))["matches"]
    shown = COLOURS.sub("", kernel.asked("inspect", "detect", 6)["data"]["text/plain"])
    assert "budget=None" in shown
    assert "The most characters to pay for" in shown


def test_an_error_that_was_shown_can_be_caught_and_pickled(kernel):
    cell = (
        "import pickle\n"
        "try:\n    df.review.svc.translate(5)\n"
        "except TypeError as error:\n    print(pickle.loads(pickle.dumps(error)))"
    )
    assert kernel.runs(cell)["stream"]["text"].startswith("target_lang: expected")
