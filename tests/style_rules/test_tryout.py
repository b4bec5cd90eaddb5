"""A text is tried with a style that is not pushed, and nothing of it stays on the service."""

from __future__ import annotations

import os

import pytest

from svc_nb import errors
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import STYLES, push
from svc_nb.style_rules.tryout import try_out
from svc_nb.sync.tryout import NAME
from tests.children import Child
from tests.counters import Counters
from tests.waiting import until

TEXT = "Red... and blue."
CHARACTER, DOTS = "use_ellipsis_character", "use_three_periods"
CREATE = "POST /v3/style_rules"
SCRIPT = """
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tryout import try_out
folder = svc_nb.current().settings.drafts_path
try_out(svc_nb.current().client, Style(language="en"), "Red.", source_lang="de", folder=folder)
"""


@pytest.fixture
def client(connected):
    return connected.client


@pytest.fixture
def folder(connected):
    return connected.settings.drafts_path


def style(option: str) -> Style:
    return Style({"punctuation": {"ellipsis": option}}, language="en", name="House")


def left(client) -> list[str]:
    return [each.name for each in client.style_rules.iterate() if each.name.startswith(NAME)]


def test_a_text_is_translated_with_the_style_and_without_and_nothing_stays(client, folder, running, connected):
    counters = Counters(running, connected)
    came = try_out(client, style(CHARACTER), TEXT, source_lang="de", target_lang="EN-GB", folder=folder)
    assert came.plain == f"[EN-GB] {TEXT}"
    assert came.text == "[EN-GB] Red… and blue."
    assert came.billed == counters.characters == 2 * len(TEXT)
    assert not came.marked_only
    assert came.left_behind == ""
    assert left(client) == []
    assert os.listdir(folder) == []


def test_it_tells_that_a_text_was_only_marked(marking, folder):
    options = {"source_lang": "de", "target_lang": "EN-GB"}
    assert try_out(marking.client, style(CHARACTER), TEXT, **options, folder=folder).marked_only


def test_rules_without_effect_are_mentioned(client, folder):
    tried = style(CHARACTER).replace(rules={"style_and_tone": {"instructions_style": "use_imperative"}})
    came = try_out(client, tried, TEXT, source_lang="de", folder=folder)
    assert came.ignored_options == ("style_id.style_and_tone.instructions_style",)
    assert came.text == came.plain


def test_it_can_be_compared_with_the_list_on_the_service(client, folder):
    there = push(client, style(CHARACTER), backups=STYLES.backups(folder, origin="here")).after
    edited = there.replace(rules={"punctuation": {"ellipsis": DOTS}})
    came = try_out(client, edited, TEXT, source_lang="de", before=there.style_id, folder=folder)
    assert came.plain.endswith("Red… and blue.")
    assert came.text.endswith("Red... and blue.")
    assert client.style_rules.get(there.style_id).version == there.version
    client.style_rules.delete(there.style_id)


def test_a_style_that_the_service_would_refuse_is_not_sent(client, folder, running, connected):
    counters = Counters(running, connected)
    wrong = style(CHARACTER).replace(language="xx")
    with pytest.raises(errors.InvalidRows):
        try_out(client, wrong, TEXT, target_lang="EN-GB", folder=folder)
    with pytest.raises(ValueError, match="before="):
        try_out(client, style(CHARACTER), TEXT, folder=folder, style_id="x")
    with pytest.raises(ValueError, match="expected one of"):
        try_out(client, Style(), TEXT, folder=folder)
    assert try_out(client, style(CHARACTER), "  ", folder=folder).text == "  "
    assert counters.requests(operation=CREATE) == 0
    assert counters.texts_requests == 0


def test_the_list_is_removed_also_when_the_translation_fails(client, folder, running):
    running.faults.add("status", operation="POST /v2/translate", status=456)
    with pytest.raises(errors.QuotaExceeded):
        try_out(client, style(CHARACTER), TEXT, folder=folder)
    assert left(client) == []
    assert os.listdir(folder) == []


@pytest.mark.long
def test_one_that_a_killed_kernel_left_is_removed_by_the_next_try_out(client, folder, running, tmp_path):
    running.faults.add("hang", operation="POST /v2/translate")
    with Child(running, tmp_path / "answers.sqlite", SCRIPT, rows=0) as child:
        child.go()
        until(lambda: left(client))
    running.faults.clear()
    assert len(left(client)) == 1
    try_out(client, style(CHARACTER), TEXT, source_lang="de", folder=folder)
    assert left(client) == []
    assert os.listdir(folder) == []
