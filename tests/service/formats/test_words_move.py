"""Text documents through the real pipeline: words move, and the tags among them survive."""

# ruff: noqa: E501 (documents have long lines)

import re
import shutil

import pytest
from lxml import etree

from svc_nb.service.translators import installed
from tests.service.formats.renderings import Listening, pipeline, rendered

DOCUMENTS = {
    "txt": "The red house of {name} is at https://example.org.\n",
    "html": '<p>The <b>red</b> house<img src="a.png" alt="The green door"> has a <a href="x">green door</a>.</p>',
    "xml": '<r><p>The <b>red</b> house<i n="1"/> has a <a h="x">green door</a>.</p></r>',
    "dita": "<topic><title>The <b>red</b> house</title><body><p>It has a <ph>green</ph> door<fn>A red note.</fn>.</p></body></topic>",
    "xlf": '<xliff version="1.2"><file><body><trans-unit><source>The <g id="1">red</g> house<x id="2"/> and the '
    '<bpt id="3">[</bpt>green<ept id="3">]</ept> door</source></trans-unit></body></file></xliff>',
    "xliff": '<xliff version="2.0"><file><unit><segment><source>The <pc id="1">red</pc> house<ph id="2"/> and the '
    '<sc id="3"/>green<ec startRef="3"/> door</source></segment></unit></file></xliff>',
    "json": '{"the key": "The <b>red</b> house of {name}", "n": 1}',
    "srt": "1\n00:00:01,000 --> 00:00:02,000\n<i>The red house</i> and the\ngreen door\n",
    "mif": "<MIFFile 9.00>\n<Para <ParaLine <String `The '> <Font <FTag `Bold'>> <String `red'> <Font <FTag `'>> <String ` house'>>>\n",
}
MARKS = re.compile(r"<String `|<[^<>]*>|\{\w+\}|https?://[\w.]+\w|&\w+;|\d\d:[\d:,]+")


@pytest.fixture(scope="module", params=["pseudo", "apertium"])
def words(request):
    if request.param == "apertium" and shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    translators = installed([request.param])
    yield pipeline(translators)
    translators.close()


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_every_mark_among_the_words_comes_back_once(extension, words):
    listening = Listening(words)
    after = rendered(extension, DOCUMENTS[extension], listening, "ES").decode()
    assert len(listening.calls) == 1
    before = sorted(MARKS.findall(DOCUMENTS[extension]))
    if extension in ("xlf", "xliff"):
        inside = re.search(r"<source>(.*)</source>", DOCUMENTS[extension])[1]
        before = sorted(MARKS.findall(inside))
        after = re.search(r"<target[^>]*>(.*)</target>", after)[1]
    elif extension == "html":
        after = after.replace(re.search('alt="([^"]*)"', after)[1], "The green door")
    assert sorted(MARKS.findall(after)) == before
    assert after != DOCUMENTS[extension]


@pytest.mark.parametrize("extension", ["xml", "dita", "xlf", "xliff"])
def test_xml_stays_well_formed(extension, words):
    etree.fromstring(rendered(extension, DOCUMENTS[extension], words, "ES"))


def test_adjectives_change_places_in_spanish():
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    translators = installed(["apertium"])
    page = "<p>The <b>red house</b> has a <a href='x'>green door</a>.</p>"
    after = rendered("html", page, pipeline(translators), "ES").decode()
    translators.close()
    assert after == "<p>La <b>casa roja</b> tiene una <a href='x'>puerta verde</a>.</p>"
