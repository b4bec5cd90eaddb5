"""`make demo` on an empty home: what a person sees first."""

import os
import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    elsewhere = {"SVC_BASE_URL": "https://service.invalid", "SVC_API_KEY": "somebody-elses"}
    environ = {**kept, **elsewhere, "HOME": str(tmp_path_factory.mktemp("home")), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", "-m", "svc_nb.demo"]
    runs = [
        subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", timeout=180)
        for _ in range(2)
    ]
    assert [run.returncode for run in runs] == [0, 0], runs[-1].stderr
    assert runs[0].stderr == ""
    return runs[0].stdout, runs[1].stdout


def test_detection_is_right_for_nearly_all_reviews(printed):
    count, languages = re.search(
        r"(\d+) reviews of an invented shop, in (\d+) languages", printed[0]
    ).groups()
    assert int(count) >= 200
    assert int(languages) >= 25
    assert float(re.search(r"accuracy ([\d.]+)%", printed[0])[1]) >= 95


def test_every_part_is_shown_as_a_table(printed):
    for row in (
        "detection_status",
        "source   La mochila es buena",
        "category  rule                option",
        "[-recieve-]{+receive+}",
        "manual.docx   done               50,000",
        "One more?          456 Quota",
        "usage_date  api_key           api_key_label",
    ):
        assert row in printed[0]


def test_the_glossary_and_the_style_show(printed):
    bound, styled = re.findall(r"^with  +(.*)$", printed[0], flags=re.M)
    assert "daypack" in bound
    assert "store" in bound
    assert "90 percent" in styled
    assert "60 °C" in styled


def test_nothing_marked_only_is_shown_as_a_translation(printed):
    assert "[EN-US]" not in printed[0]


def test_it_ends_with_what_to_type_next_and_runs_a_second_time(printed):
    assert printed[0].rstrip().endswith("""svc.translate("EN-US"))'""")
    assert "Demo key" in printed[1]
