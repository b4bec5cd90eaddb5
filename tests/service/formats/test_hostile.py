"""Hostile and broken files of the text kinds: a clear line, in bounded memory and time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from svc_nb.service.formats import Unreadable
from tests.growth import LINEAR
from tests.service.formats.renderings import echo, rendered, upper

ROOT = Path(__file__).parents[3]
XLIFF = '<xliff version="1.2"><file><body><trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>'
WHOLE = {
    "txt": "Ein schöner Text — für alle.\n" * 3,
    "html": "<html><body><p>Ein <b>schöner</b> Text</p><img alt='für alle'></body></html>",
    "xml": "<a><b>Ein <i>schöner</i> Text</b><![CDATA[für]]><!-- x --></a>",
    "dita": "<topic><title>Ein <b>schöner</b> Text</title></topic>",
    "xlf": XLIFF.format('Ein <g id="1">schöner</g> Text'),
    "json": '{"a": ["Ein schöner Text", {"b": "für alle"}], "c": 1.5}',
    "srt": "1\n00:00:01,000 --> 00:00:02,000\nEin <i>schöner</i> Text\n\n2\n00:00:03,000 --> 00:00:04,000\nfür alle\n",
    "mif": "<MIFFile 9.00>\n<Para <ParaLine <String `Ein schöner Text'> <Font <FTag `x'>> <String `für'>>>\n",
}
STRICT = ("xml", "dita", "xlf", "json", "mif")


def outcome(extension, data, words):
    """The translated document, or the line that says why there is none."""
    try:
        return rendered(extension, data, words)
    except Unreadable as error:
        return str(error)


@pytest.mark.parametrize("extension", WHOLE)
def test_a_file_that_was_cut_off_is_refused_or_read_as_far_as_it_goes(extension):
    data = WHOLE[extension].encode()
    for end in range(len(data) - 2):
        said = outcome(extension, data[:end], upper)
        if isinstance(said, str):
            assert "\n" not in said
            assert "Text" not in said
        else:
            assert extension not in STRICT or data[:end] == b"<MIFFile 9.00>\n"[:end], end


@pytest.mark.parametrize("extension", WHOLE)
def test_bytes_that_are_no_text_are_refused_or_survive(extension):
    data = WHOLE[extension].encode()
    for junk in (
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf\xff",
        b"\x1b\x07\x01",
        b"\xd8\x00",
        bytes(range(128, 256)),
    ):
        for hostile in (data[:20] + junk + data[20:], junk + data, junk):
            said = outcome(extension, hostile, echo)
            assert said == hostile or (isinstance(said, str) and "\n" not in said)


def test_entities_are_kept_and_never_expanded():
    laughs = '<!DOCTYPE a [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY a{at} "{f"&a{at - 1};" * 10 if at else "&a;" * 10}">' for at in range(20)
    )
    for body in ("<a>Word &a19; word</a>", '<a t="&a19;">Word</a>'):
        text = f"{laughs}]>{body}"
        assert rendered("xml", text, echo) == text.encode()
    thief = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>Word &f;</a>'
    assert rendered("xml", thief, upper) == thief.replace("Word", "WORD").encode()


# What is costly to read: one thing over and over.
COSTLY = {
    "html": ["<b>x", "<b>x</b>", "<", '<a "', "&lt;a", "{", "<i translate=no>", "x<b></b>", '<a title="x">'],
    "xml": ["<a>x</a>", "<a/>x", "<![CDATA[x]]>", "x&amp;"],
    "dita": ["x<fn>x</fn>"],
    "xlf": ["x<bpt id='1'>y</bpt>", "<g id='1'>x</g>", "x<sm id='1' translate='no'/>", "x<g>1</g>"],
    "json": ['"x",', '"\\"', '"<p>x",'],
    "mif": ["<String `x'><Font <FTag `a'>>", "`", "<a>"],
    "srt": ["x y\n", "0:"],
    "txt": [
        "x\n",
        "{{",
        "`",
        "a.b-",
        "$a",
        "x\x01",
        "{a,plural,",
        "{a,plural,one{#",
        "{a,plural,one{#}}",
        "    a()\n",
        "word word word word word word word word w\n",
    ],
}
AROUND = {
    "xml": ("<r>", "</r>"),
    "dita": ("<p>", "</p>"),
    "xlf": tuple(XLIFF.split("{}")),
    "json": ("[", '"x"]'),
    "mif": ("<MIFFile 9><Para <ParaLine ", ">>"),
    "srt": ("1\n0:0:1,0 --> 0:0:2,0\n", "\n"),
}
CHILD = """
import json, resource, sys
from pathlib import Path
from tests.growth import growth
from tests.service.formats.renderings import rendered
from svc_nb.service.formats import Unreadable
import lxml.etree, charset_normalizer
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 70_000_000,) * 2)
def render(file):
    try:
        rendered(*file, lambda texts, *, tagged: [each + " y" for each in texts])
    except Unreadable:
        pass
for small, large in json.load(sys.stdin):
    print(small[0], repr(small[1][40:70]), growth(render, small, large))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells how much memory a process may take")
def test_memory_is_bounded_and_time_grows_with_the_length_whatever_is_repeated():
    files = []
    for extension, pieces in COSTLY.items():
        first, last = AROUND.get(extension, ("", ""))
        for piece in pieces:
            texts = (first + piece * (size // len(piece)) + last for size in (5_000, 20_000))
            files.append([(extension, text) for text in texts])
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps(files),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ratios = [(float(line.rpartition(" ")[2]), line) for line in done.stdout.splitlines()]
    assert len(ratios) == len(files)
    assert max(ratios)[0] < LINEAR, max(ratios)


@pytest.mark.long
@pytest.mark.parametrize(
    ("extension", "piece", "most"),
    [("html", "<b>", 400_000), ("xml", "<a/>", 400_000), ("mif", "<String `'>", 300_000)],
)
def test_more_tags_than_a_document_has_are_refused(extension, piece, most):
    first, last = AROUND.get(extension, ("", ""))
    with pytest.raises(Unreadable, match=f"more than {most:,}"):
        rendered(extension, first + piece * (most + 1) + last, echo)


@pytest.mark.parametrize("extension", ["html", "xml", "dita", "xlf"])
def test_ten_thousand_nested_tags_are_refused(extension):
    first, last = AROUND.get(extension, ("", ""))
    with pytest.raises(Unreadable, match="nested more than 500 deep"):
        rendered(extension, first + "<b>" * 10_000 + "x" + "</b>" * 10_000 + last, echo)
