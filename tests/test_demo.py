"""`make demo` on an empty home: what a person sees first."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long


def run(home, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    elsewhere = {"SVC_BASE_URL": "https://service.invalid", "SVC_API_KEY": "somebody-elses"}
    environ = {**kept, **elsewhere, "HOME": str(home), "PYTHONIOENCODING": "utf-8", **more}
    command = [sys.executable, "-W", "error", "-m", "svc_nb.demo"]
    ended = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", timeout=180)
    assert ended.returncode == 0, ended.stderr
    return ended


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def printed(home):
    ended = run(home)
    assert ended.stderr == ""
    return ended.stdout


def test_detection_is_right_for_nearly_all_reviews(printed):
    count, languages = re.search(r"(\d+) reviews of an invented shop, in (\d+) languages", printed).groups()
    assert int(count) >= 200
    assert int(languages) >= 25
    assert float(re.search(r"accuracy ([\d.]+)%", printed)[1]) >= 95


def test_every_part_is_shown_as_a_table(printed):
    for row in (
        "detection_status",
        "source   La mochila es buena",
        "category  rule                option",
        "[-recieve-]{+receive+}",
        "One more?          456 Quota",
        "usage_date  api_key           api_key_label",
    ):
        assert row in printed
    assert re.search(r"manual\.docx +(done +\w+|marked +pseudo) +50,000", printed)


def test_the_glossary_and_the_style_show(printed):
    bound, styled = re.findall(r"^with  +(.*)$", printed, flags=re.M)
    assert "daypack" in bound
    assert "store" in bound
    assert "90 percent" in styled
    assert "60 °C" in styled


def test_nothing_marked_only_is_shown_as_a_translation(printed):
    assert "[EN-US]" not in printed


def test_it_ends_with_what_to_type_next(printed):
    assert printed.rstrip().endswith("""svc.translate("EN-US"))'""")


def test_it_runs_a_second_time_and_without_any_translator(printed, home):
    ended = run(home, PATH=os.path.dirname(sys.executable))
    assert ended.stderr == ""
    assert "4 NOT TRANSLATED: no translator for EN → ES." in ended.stdout
