"""Every row may have a context of its own: it is sent with its text, and what has another context is another wish."""

from __future__ import annotations

import http.server
import json
import threading

import numpy as np
import pandas as pd
import pytest

import svc_nb
from svc_nb import session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.counters import listed


class Echo(http.server.BaseHTTPRequestHandler):
    """A service whose translation of a text tells the context that came with it."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        said = [
            {
                "text": f"{text} ({body.get('context', 'none')})",
                "detected_source_language": body.get("source_lang", "EN"),
                "billed_characters": len(text),
            }
            for text in body["text"]
        ]
        content = json.dumps({"translations": said}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def bodies(tmp_path):
    """What a service was sent that the current session talks to."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.bodies = []
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        settings = Settings(
            base_url=f"http://127.0.0.1:{server.server_port}",
            api_key=Secret("a-key-of-this-test"),
            store=str(tmp_path / "answers.sqlite"),
        )
        opened = session.Session(settings)
        before = session.make_current(opened)
        yield server.bodies
        session.make_current(before)
        opened.close()
        opened.store.close()
        server.shutdown()


def translated(column, context, **fields):
    return listed(column.svc.translate("DE", source_lang="EN", context=context, progress=False, **fields))


COLUMN = pd.Series(["Save", "Save", "Run", "Save", None, "Run"], index=list("aabcde"), name="label")
CONTEXTS = ["A bank", "A match", "A bank", " A bank ", "A bank", None]
CAME = ["Save (A bank)", "Save (A match)", "Run (A bank)", "Save (A bank)", None, "Run (none)"]


@pytest.mark.parametrize(
    "contexts",
    [
        CONTEXTS,
        tuple(CONTEXTS),
        np.array(CONTEXTS, dtype=object),
        pd.Series(CONTEXTS, index=COLUMN.index),
        pd.Series(CONTEXTS, index=COLUMN.index, dtype="string"),
        pd.Series(CONTEXTS, index=COLUMN.index, dtype="category"),
        pd.Index(CONTEXTS),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_row_is_sent_with_its_own_context(bodies, contexts):
    assert translated(COLUMN, contexts) == CAME
    # Those with the same context travel together, and each different wish is paid for once.
    assert sorted((each.get("context"), each["text"]) for each in bodies if "context" in each) == [
        ("A bank", ["Save", "Run"]),
        ("A match", ["Save"]),
    ]
    assert [each["text"] for each in bodies if "context" not in each] == [["Run"]]
    assert svc_nb.last_run().table()["billed_characters"].tolist() == [4, 4, 3, 0, 0, 3]
    assert translated(COLUMN, contexts) == CAME
    assert len(bodies) == 3


def test_in_a_frame_a_column_is_named(bodies):
    frame = pd.DataFrame({"label": COLUMN, "screen": CONTEXTS, ("a", 1): CONTEXTS})
    made = frame.svc.translate("label", "DE", source_lang="EN", context="screen", progress=False)
    assert listed(made["label_DE"]) == CAME
    made = frame.svc.translate("label", "DE", source_lang="EN", context=("a", 1), progress=False)
    assert listed(made["label_DE"]) == CAME
    assert len(bodies) == 3
    whole = svc_nb.translate(frame[["label", "screen"]], "label", "DE", context="screen", source_lang="EN")
    assert listed(whole["label_DE"]) == CAME
    assert len(bodies) == 3


@pytest.mark.parametrize("blank", [None, "", "  ", ["", None] * 3, [float("nan")] * 6, [pd.NA] * 6], ids=str)
def test_no_context_and_a_blank_one_are_the_same(bodies, blank):
    assert translated(COLUMN, blank) == ["Save (none)"] * 2 + [
        "Run (none)",
        "Save (none)",
        None,
        "Run (none)",
    ]
    assert [each["text"] for each in bodies] == [["Save", "Run"]]
    assert "context" not in bodies[0]


def test_one_text_is_the_context_of_all(bodies):
    one = translated(COLUMN, "label")
    assert one == ["Save (label)"] * 2 + ["Run (label)", "Save (label)", None, "Run (label)"]
    assert translated(COLUMN, ["label"] * 6) == one
    assert len(bodies) == 1


def test_rows_may_have_a_language_and_a_context(bodies):
    fields = {"source_lang": ["EN", "FR"] * 3, "context": CONTEXTS, "progress": False}
    assert listed(COLUMN.svc.translate("DE", **fields)) == CAME
    asked = {(each["source_lang"], each.get("context"), *each["text"]) for each in bodies}
    assert asked == {
        ("EN", "A bank", "Save", "Run"),
        ("FR", "A match", "Save"),
        ("FR", "A bank", "Save"),
        ("FR", None, "Run"),
    }


def test_a_plan_counts_the_requests_that_contexts_make(bodies):
    column = pd.Series([f"text {number}" for number in range(60)])
    contexts = [f"screen {number % 20}" for number in range(60)]
    plan = column.svc.plan("DE", source_lang="EN", context=contexts)
    assert (plan.requests, plan.contexts, plan.unique) == (20, 20, 60)
    assert "20  (for 20 different contexts)" in str(plan)
    translated(column, contexts)
    assert len(bodies) == 20
    after = column.svc.plan("DE", source_lang="EN", context=contexts)
    assert (after.requests, after.contexts, after.stored) == (0, 0, 60)
    one = column.svc.plan("DE", source_lang="EN", context="screen")
    assert one.requests == 2
    assert "contexts" not in str(one)


def test_what_failed_is_tried_again_with_its_context(bodies):
    column = pd.Series(["Save", "Run"])
    with pytest.warns(svc_nb.errors.Unfinished):
        assert translated(column, ["A bank", "A match"], budget=4) == ["Save (A bank)", None]
    job = column.svc.start_translate("DE", source_lang="EN", context=["A bank", "A match"])
    assert listed(job.retry_failed()) == ["Save (A bank)", "Run (A match)"]


@pytest.mark.parametrize(
    ("context", "error", "words"),
    [
        (5, TypeError, "context: expected a text, or one per row, found int"),
        ({"Save": "A bank"}, TypeError, "context: expected a text, or one per row, found dict"),
        (["A bank"], ValueError, "context: expected 6 texts, one per row, found 1"),
        (pd.Series(CONTEXTS), ValueError, "context: its row labels are not those of the texts"),
        ([*CONTEXTS[:4], 7, ["x"]], TypeError, "context: expected texts, found int in row 4"),
    ],
    ids=str,
)
def test_what_is_not_a_context_is_refused_before_anything_is_sent(bodies, context, error, words):
    with pytest.raises(error, match=words):
        translated(COLUMN, context)
    assert not bodies


def test_two_columns_of_one_name_are_no_context(bodies):
    frame = pd.DataFrame([["Save", "A bank", "A match"]], columns=["label", "screen", "screen"])
    with pytest.raises(KeyError, match="context: 2 columns are called 'screen'"):
        frame.svc.translate("label", "DE", context="screen", progress=False)
    assert not bodies


def test_a_context_that_is_nearly_the_name_of_a_column_is_reported(connected):
    frame = pd.DataFrame({"text": ["Good morning"], "title": ["Greetings"]})
    with pytest.warns(UserWarning, match="'titel' goes with every text. Did you mean the column 'title'"):
        frame.svc.plan("text", "DE", source_lang="EN", context="titel")
    with pytest.raises(svc_nb.errors.UnknownLanguage, match=r"no language and no column 'titl'.* 'title'"):
        frame.svc.plan("text", "DE", source_lang="titl")
