"""What people see first: the names after a dot, the page of help, and where they are connected."""

import os
import pydoc
import re
import subprocess
import sys

import pandas as pd
import pytest

import svc_nb
from svc_nb import service
from svc_nb.secret import Secret
from svc_nb.settings import Settings

NOUNS = ["documents", "glossaries", "keys", "memories", "notebooks", "spoken_terms", "store", "style_rules"]


def test_tab_completion_shows_about_a_dozen_names_and_all_others_are_still_there():
    assert sorted(svc_nb.__all__) == dir(svc_nb)
    assert 12 <= len(svc_nb.__all__) <= 16
    assert set(svc_nb.__all__) < set(svc_nb.PUBLIC)
    for name in svc_nb.PUBLIC:
        assert getattr(svc_nb, name) is not None


@pytest.mark.parametrize("noun", NOUNS)
def test_tab_completion_of_a_noun_shows_its_verbs_alone(noun):
    home = getattr(svc_nb, noun)
    assert dir(home) == sorted(home.__all__)


def test_the_page_of_help_begins_with_an_example_and_names_all_that_is_public():
    told = pydoc.plain(pydoc.render_doc(svc_nb)).partition("PACKAGE CONTENTS")[0]
    words = set(re.findall(r"\w+", told))
    assert set(svc_nb.PUBLIC) - words == {"MarkedOnly", "OptionsIgnored"}  # warnings say their own names
    assert max(map(len, told.splitlines())) <= 110


def test_the_example_in_the_page_of_help_runs(unwarned):
    example = svc_nb.__doc__.partition("    import")[2].partition("\nTexts in")[0]
    names = {}
    exec("import" + example.replace("\n    ", "\n"), names)
    assert isinstance(names["english"], pd.Series)
    assert names["english"].index.equals(names["texts"].index)
    svc_nb.close()


def test_all_verbs_that_the_page_of_help_lists_are_there():
    listed = re.findall(r"^    ([a-z, ]+?)  .*(?:service|after)$", svc_nb.__doc__, flags=re.MULTILINE)
    verbs = [verb for line in listed for verb in line.split(", ")]
    assert len(verbs) == 10
    assert not [verb for verb in verbs if not callable(getattr(pd.Series(["a"]).svc, verb))]


def test_a_session_with_the_embedded_service_shows_its_address_and_the_folder_of_the_account(tmp_path):
    for folder, shown in ((tmp_path / "account", tmp_path / "account"), (None, "memory")):
        with service.start(folder=folder, memory=folder is None, translators=["pseudo"]) as running:
            session = svc_nb.Session.embedded(running)
            assert repr(session) == f"<Session: embedded service at {running.base_url}, account in {shown}>"
            session.close()


def test_a_session_with_a_profile_shows_it_and_not_the_key():
    session = svc_nb.Session(Settings(base_url="https://api.example.com", api_key=Secret("hush-hush"), profile="work"))
    assert repr(session) == "<Session: https://api.example.com, profile work>"
    session.close()


@pytest.mark.long
def test_connecting_in_a_script_prints_nothing_and_the_home_is_shown_as_people_write_it(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    code = "import sys, svc_nb; session = svc_nb.connect(); print(session, file=sys.stderr)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**kept, "HOME": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert ended.stdout == ""
    assert re.fullmatch(r"<Session: embedded service at http://127.0.0.1:\d+, account in ~/.+>\n", ended.stderr)
