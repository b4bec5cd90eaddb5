"""What is protected comes out as it went in, or its row says that it did not; masks cost nothing twice."""

from __future__ import annotations

import re
import sys
import time

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import svc_nb
from svc_nb import errors
from svc_nb.columns.protection import FIRST, FORMS, KINDS, SECOND, Masked, Protection, with_code
from svc_nb.engine.skip_rules import RULES
from svc_nb.service.translators import Translators, installed
from tests.counters import DETECT, Counters, listed
from tests.growth import LINEAR, growth
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished"),
]

BOTH = pytest.mark.parametrize("form", [FIRST, SECOND])


def masked(text, *items):
    (found,) = Protection(items or "all").masked([text])
    return found


def stretches(text, *items):
    found = masked(text, *items)
    return found.stretches if found else []


# ---- what is found

FOUND = {
    "placeholders": {
        "Hi {name}, {0} and {}": ["{name}", "{0}", "{}"],
        "{{ user.name }} or {{{raw}}}": ["{{ user.name }}", "{{{raw}}}"],
        "${x} of #{y} of %{z}": ["${x}", "#{y}", "%{z}"],
        "{price:,.2f} on {day, date, short}": ["{price:,.2f}", "{day, date, short}"],
        "{% if new %} new {% endif %}": ["{% if new %}", "{% endif %}"],
        "%s has %d, %1$s %-5.2f %(name)s %@ %ld": ["%s", "%d", "%1$s", "%-5.2f", "%(name)s", "%@", "%ld"],
        "100%% of %USER_NAME% at %dpx": ["%%", "%USER_NAME%", "%d"],
        "共%d个文件": ["%d"],
        "{name!r:>{w}} of {a:{b}} and {x:{w}.{p}f}": ["{name!r:>{w}}", "{a:{b}}", "{x:{w}.{p}f}"],
        "on %Y-%m-%d at %H:%M, %-d.%m.%y": ["%Y-%m-%d", "%H:%M", "%-d.%m.%y"],
        "in ${a + b} or #{x ? y : z}": ["${a + b}", "#{x ? y : z}"],
        "{n}{unit} left": ["{n}{unit}"],
        "{n, plural, one {# file} other {# files}} left": ["{n, plural, one {#", "} other {#", "}}"],
        "{who, select, her {she} other {{n} of %s}}": ["{who, select, her {", "} other {{n}", "%s}}"],
        "{a, select, x {{b, plural, other {many}}} other {none}}": [
            "{a, select, x {{b, plural, other {",
            "}}} other {",
            "}}",
        ],
        "{n, plural, one {'{' a} other {b}} end": ["{n, plural, one {'{'", "} other {", "}}"],
        "{n, plural, one {a '}' b} other {it''s '{x}'}} end": [
            "{n, plural, one {",
            "'}'",
            "} other {",
            "'{x}'}}",
        ],
        "{n, select, a {l'{x} b} other {c}}": ["{n, select, a {", "{x}", "} other {", "}}"],
        "it's '{x}' and '{' {n, select, a {b}} '}'": ["{x}", "{n, select, a {", "}}"],
        "{n, plural, one {never closed": [],
        "100% sure, 20%discount, a %change, 5 % des": [],
        "{a text in braces} and $5 and #1 and 50%": [],
        "50%/60% of 5%-a%b, $ {a b} and {a: b}": [],
    },
    "tags": {
        "a <b>bold</b> word<br/>": ["<b>", "</b>", "<br/>"],
        "<a href='x>y' title=\"<\">here</a>": ["<a href='x>y' title=\"<\">", "</a>"],
        "x <!-- not <this> --> y &nbsp; z": ["<!-- not <this> -->", "&nbsp;"],
        "<%= x > y %> a <?xml v?> b <!DOCTYPE html> c": ["<%= x > y %>", "<?xml v?>", "<!DOCTYPE html>"],
        "see <1>x</1> or <0/>&#160;and&#xA0;so": ["<1>", "</1>", "<0/>&#160;", "&#xA0;"],
        "1 < 2 and 3 > 2, I <3 you, caf&eacute;": [],
        "caf&#233; &#x4e2d; a <? b <% c <!d &#; &#x;": [],
    },
    "urls": {
        "see https://a.example/x_(y)?q=1&r=2#z.": ["https://a.example/x_(y)?q=1&r=2#z"],
        "(see http://b.example/d), www.c.example!": ["http://b.example/d", "www.c.example"],
        "请看https://d.example路吧": ["https://d.example"],
        "请看https://d.example/x了解更多。": ["https://d.example/x"],
        "请看https://d.example/。谢谢": ["https://d.example/"],
        "참고 https://d.example/x에서 확인": ["https://d.example/x"],
        "in https://ja.wikipedia.org/wiki/日本 今日": ["https://ja.wikipedia.org/wiki/日本"],
        "在https://d.example/wiki/日本/東京_(曖昧)?q=値&r=%E3値です。": [
            "https://d.example/wiki/日本/東京_(曖昧)?q=値&r=%E3値です"
        ],
        "(https://d.example/x日本) と https://d.example/a日本.": [
            "https://d.example/x日本",
            "https://d.example/a日本",
        ],
        "https://例え.jp/foo と http://例子.中国/ と http://www.例え.jp": [
            "https://例え.jp/foo",
            "http://例子.中国/",
            "http://www.例え.jp",
        ],
        "Www.example.com ok, MailTo:x@y.zz, EXAMPLE.COM/x": [
            "Www.example.com",
            "MailTo:x@y.zz",
            "EXAMPLE.COM/x",
        ],
        "看example.com/x、-https://e.example": ["example.com/x", "https://e.example"],
        "a https://e.example/x، ثم https://e.example/y؟": ["https://e.example/x", "https://e.example/y"],
        "`https://e.example/x` https://e.example/y। https://e.example/z—so": [
            "https://e.example/x",
            "https://e.example/y",
            "https://e.example/z",
        ],
        "git+ssh://h/x or bit.ly/abc or mailto:a@b.example": [
            "git+ssh://h/x",
            "bit.ly/abc",
            "mailto:a@b.example",
        ],
        "{https://e.example/{id}/[x]} [t](https://f.example/g)": [
            "https://e.example/{id}/[x]",
            "https://f.example/g",
        ],
        "„https://a.example/x“, »https://b.example« und ‚https://c.example‘": [
            "https://a.example/x",
            "https://b.example",
            "https://c.example",
        ],
        "and/or 1/2 www. http:// a:// émile.com/ .com/ mailto: mailto:w xwww.a.b „https://“": [],
    },
    "emails": {
        "ask a.b+c@d.example.com, or me": ["a.b+c@d.example.com"],
        "请写信给me@x.example谢谢": ["me@x.example"],
        "me@例え.jp, me@例子.中国 `x-y@a-b.example`": ["me@例え.jp", "me@例子.中国", "x-y@a-b.example"],
        "@home, a @ b, x@y, {@x.example": [],
    },
    "code": {
        "Run `ls -l` or ``a`b``, not `c": ["`ls -l`", "``a`b``"],
        "So:\n\n```python\nx = `1`\n```\n\nand `y`": ["```python\nx = `1`\n```", "`y`"],
        "a\n~~~ sh\nls\n```\n~~~~\nb": ["~~~ sh\nls\n```\n~~~~"],
        "1. so\n    ````\n    ```\n    ````  \r\n2. b": ["    ````\n    ```\n    ````  \r"],
        "> ```\n> x\n> ```\n> b": ["> ```\n> x\n> ```"],
        "cut off:\n```js\nlet x = 1;": ["```js\nlet x = 1;"],
        "```one line``` and a \\`b` c `\\` d": ["```one line```", "` c `"],
        "~~~ sale ~~~\nnot ``closed, `a\n\nb` 5 and ~~~": [],
    },
    "paths": {
        "in /usr/lib/x.so, ~/x and ./a/b.txt.": ["/usr/lib/x.so", "~/x", "./a/b.txt"],
        r"from C:\Users\x to \\server\share\f.txt": [r"C:\Users\x", r"\\server\share\f.txt"],
        r"C:\Program Files (x86)\App\a.exe and C:\Temp and %APPDATA%\x\y.ini!": [
            r"C:\Program Files (x86)\App\a.exe",
            r"C:\Temp",
            r"%APPDATA%\x\y.ini",
        ],
        r"„C:\Temp\a.txt“ oder »/usr/lib/x.so«": [r"C:\Temp\a.txt", "/usr/lib/x.so"],
        "src/app/main.py, ../up, C:/Users/me": ["src/app/main.py", "../up", "C:/Users/me"],
        "文件/usr/lib/a.so在 `/etc/passwd` (/var/log/)": ["/usr/lib/a.so", "/etc/passwd", "/var/log/"],
        "and/or km/h 1/2 he/she. 12/05/2024 2024/05/12 w/o TCP/IP text/html Ja/Nein.": [],
        "<b>x</b><br/> s/foo/bar/ //item/name %s/main.py %(id)s/a.txt .. ~ foo.txt 5/6.5": [],
    },
    "personal": {
        "Ann <ann@x.example>, +49 171 1234567, 10.0.0.7": ["ann@x.example", "+49 171 1234567", "10.0.0.7"],
        "on 2024-01-31 10:20:30, 1.234.567,89 of 12 345 678 € in RFC 2616": [],
    },
    "phones": {
        "call (030) 123456 or 0171/1234567, +1-537-640-6812x41586": [
            "(030) 123456",
            "0171/1234567",
            "+1-537-640-6812x41586",
        ],
        "電話は090-1234-5678です, ٠١٧١ ١٢٣٤٥٦٧, Tel:+49(0)30 123456": [
            "090-1234-5678",
            "٠١٧١ ١٢٣٤٥٦٧",
            "+49(0)30 123456",
        ],
        "2024-01-31 0171 1234567 (609 141 777)": ["0171 1234567", "609 141 777"],
        "Llame al 612.345.678, 91.234.56.789 o 612.34.56.78.": ["612.345.678", "91.234.56.789", "612.34.56.78"],
        "123.456.789, 612.345.678 €, 612.345.678,50, 1.612.345.678, 612.345.000 Einwohner": [],
        "version 612.345.678, v1.2.3, 10.15.7, 10.0.0.7, 192.168.101.102": [],
        "1990-1995, 100-2000, 31.01.2024, 52.520008 13.404954, ISBN 978-3-16-148410-0, 12 345 678, $12345678": [],
    },
    "ibans": {
        "to DE89 3704 0044 0532 0130 00 BIC COBADEFF": ["DE89 3704 0044 0532 0130 00"],
        "gb82west12345698765432.": ["gb82west12345698765432"],
        "DE88 3704 0044 0532 0130 00, AB12CDEF": [],
    },
    "cards": {
        "4111 1111 1111 1111 or 378282246310005": ["4111 1111 1111 1111", "378282246310005"],
        "4111 1111 1111 1112 at 1700000000000": [],
    },
    "ip_addresses": {
        "10.0.0.7, fe80::1 and 2001:db8::ff00:42:8329, 00:1A:2b:3C:4d:5E": [
            "10.0.0.7",
            "fe80::1",
            "2001:db8::ff00:42:8329",
            "00:1A:2b:3C:4d:5E",
        ],
        "version 1.2.3.4, v2.3.4.5, 127.0.0.1, 255.255.255.0, ::1, a::b, 12:30:45, 1.2.3.4.5, 300.1.2.3": [],
    },
    "national_ids": {
        "078-05-1121 or 12345678Z, RSSMRA85T10A562S": ["078-05-1121", "12345678Z", "RSSMRA85T10A562S"],
        "AB 12 34 56 C, 131052-308T, 756.9217.0769.85, 390.533.447-05": [
            "AB 12 34 56 C",
            "131052-308T",
            "756.9217.0769.85",
            "390.533.447-05",
        ],
        "666-05-1121, 12345678A, 131052-308U, 390.533.447-06": [],
    },
}
CASES = [(kind, text, found) for kind, texts in FOUND.items() for text, found in texts.items()]


@pytest.mark.parametrize(("kind", "text", "found"), CASES, ids=[case[1] for case in CASES])
def test_a_kind_finds_its_stretches_and_nothing_else(kind, text, found):
    assert stretches(text, kind) == found


@pytest.mark.parametrize(
    ("answer", "restored"),
    [
        ("So: [[0]] Fertig.", "So:\n\n```\nx\n```\n \nFertig."),
        ("So:\n[[0]]\n\n\nFertig.", "So:\n\n```\nx\n```\n \nFertig."),
        ("So:\n[[ 0 ]] Fertig.", "So:\n\n```\nx\n```\n \nFertig."),
    ],
)
def test_line_ends_beside_a_stretch_are_those_of_the_text(answer, restored):
    [masked] = Protection("code").masked(["Like this:\n\n```\nx\n```\n \nDone."])
    assert masked.asked(FIRST) == "Like this:\n\n[[0]]\n \nDone."
    assert masked.restored(answer, FIRST) == restored


def test_line_ends_around_a_text_are_not_put_back_twice():
    before, after = Protection("code").masked(["\n\n`ls` now", "Now `ls`\n\n"])
    assert before.restored("[[0]] jetzt", FIRST) == "`ls` jetzt"
    assert after.restored("Jetzt [[0]]", FIRST) == "Jetzt `ls`"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_texts_with_and_without_stretches(kind):
    assert [] in FOUND[kind].values()
    assert any(FOUND[kind].values())


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Acme", "Acme's Acme, not Acmes, Acme2, acme or XAcme", ["Acme", "Acme"]),
        ("Acme", "使用Acme产品", ["Acme"]),
        ("微信", "我们的微信很好", ["微信"]),
        ("C++", "C++, not C+", ["C++"]),
        (".NET", "the .NET way", [".NET"]),
        ("cafe", "a cafe\u0301 and a cafe", ["cafe"]),
        ("हिन्द", "हिन्दी", []),
        ("Big Blue", "The Big Blue Sea", ["Big Blue"]),
        ("$x$ {0} %s", "a $x$ {0} %s b", ["$x$ {0} %s"]),
        ("<script>", "no <script> here", ["<script>"]),
        ("a.c", "abc a.c", ["a.c"]),
        ("👍🏽", "well 👍🏽!", ["👍🏽"]),
        ("שלום", "אמר שלום לך", ["שלום"]),
    ],
)
def test_a_name_is_found_as_a_whole_word_in_its_own_case(name, text, found):
    assert stretches(text, name) == found
    assert stretches(text, name, *(f"other {number}" for number in range(30))) == found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Café", "ein Cafe\u0301, ein Café, Cafés", ["Cafe\u0301", "Café"]),
        ("Cafe\u0301 Noir", "Café Noir", ["Café Noir"]),
        ("Big Blue", "Big\u00a0Blue, Big\n  Blue, BigBlue, Big-Blue", ["Big\u00a0Blue", "Big\n  Blue"]),
        ("Big  Blue", "Big Blue", ["Big Blue"]),
        ("👍", "👍🏽 👍 👍!", ["👍", "👍"]),
        ("👩", "👩‍🚀 👩", ["👩"]),
        ("🚀", "👩‍🚀 🚀", ["🚀"]),
        ("❤", "a ❤️ b", ["❤️"]),
        ("🇩🇪", "🇩🇪🇫🇷 🇪🇩🇪🇩", ["🇩🇪"]),
    ],
)
def test_a_name_is_found_however_its_characters_and_spaces_are_written(name, text, found):
    assert stretches(text, name) == found
    assert stretches(text, name, *(f"other {number}" for number in range(30))) == found


def test_the_longest_of_several_names_counts():
    assert stretches("Acme Pro and Acme", "Acme", "Acme Pro", "Pro") == ["Acme Pro", "Acme"]


def test_a_pattern_protects_what_it_matches_whatever_its_flags_and_groups():
    pattern = re.compile(r"(?P<sku>sku)-(\d)\2 | ", re.IGNORECASE | re.VERBOSE)
    assert stretches("SKU-77 and sku-12, sku-33", pattern) == ["SKU-77", "sku-33"]


def test_what_overlaps_or_touches_is_one_stretch():
    assert stretches("go to https://x.example/{id}<br>now") == ["https://x.example/{id}<br>"]
    assert stretches("<b>{name}</b> is here") == ["<b>{name}</b>"]


FREE = st.lists(
    st.sampled_from(
        [
            *"wWmM.:/@{}%<>&]'#$ aé日例",
            "://",
            "www.",
            "WwW.",
            "mailto:",
            "MAILTO:",
            "MailTo:",
            "a.COM/",
            "b.iO/",
            "]]>",
        ]
    ),
    max_size=12,
).map("".join)


@given(FREE)
def test_a_text_without_the_hints_of_a_kind_has_none_of_its_stretches(text):
    for kind in KINDS.values():
        assert any(hint in text for hint in kind.hints) or not list(kind.find(text))


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "}",
        "{a, plural, ",
        "{a, plural, one {b}} {c} ",
        "%(",
        "<a ",
        "<a b='",
        "<!--",
        "&",
        "a",
        "a.",
        "http://",
        "www.",
        "a@",
        "-@a.",
        "(",
        "{a:{b}",
        "%Y-",
        "<%",
        "<?x",
        "<!D",
        "<%<!--<?x",
        "&#1",
        "{n, plural, one {'{",
        "{n, plural, one {'{''",
        "https://a/路",
        "https://a/x路 ",
        "://例.",
        "/://x",
        "xwww.a.",
        "me@例.",
        "a.com/",
        "x.",
        "a name\u200d",
        "a ",
        "🇩🇪",
    ],
)
def test_the_cost_of_a_search_grows_with_the_text_and_no_faster(unit):
    protection = Protection(["all", "a name", "🇩🇪"])
    small, large = (unit * (size // len(unit)) + " @/<{%" for size in (5_000, 20_000))
    assert growth(lambda text: protection.masked([text]), small, large) < LINEAR


@pytest.mark.parametrize("unit", ["~~~ a\n", "~~~~ a\n~~~\n", "~~~\n```\n", "``` a ```\n"])
def test_the_cost_of_a_search_for_code_grows_with_the_text_and_no_faster(unit):
    protection = Protection("code")
    small, large = (unit * size for size in (1_000, 4_000))
    assert growth(lambda text: protection.masked([text]), small, large) < LINEAR


@pytest.mark.parametrize("name", ["Dr. A{}", "Ann Lee {}", "x-{}"])
def test_the_cost_of_names_with_the_same_first_word_grows_with_them_and_the_text_and_no_faster(name):
    def search(size):
        protection = Protection([name.format(number) for number in range(10_000, 10_000 + size)])
        (found,) = protection.masked([f"{name.format(10_007)}, {name.format('')} " * size])
        assert {*found.stretches} == {name.format(10_007)}

    assert growth(search, 500, 2_000) < LINEAR


@pytest.mark.parametrize(
    "unit", ["<br> a </b> c", "<b> a </b> c", "<b> a", "{x} a", "[[9]] {x}", "{x, select, a {b}} c"]
)
def test_the_cost_of_putting_back_grows_with_the_text_and_no_faster(unit):
    small, large = (masked(unit * size) for size in (200, 800))

    def restored(made):
        answer = made.asked(FIRST)
        last = FORMS[FIRST].written % (made._first + len(made.stretches) - 1)
        made.restored(last + answer.replace(last, ""), FIRST)  # out of order: all is looked at

    assert growth(restored, small, large) < LINEAR


# ---- what is given


@pytest.mark.parametrize(
    ("item", "meant"),
    [
        ("placeholder", "placeholders"),
        ("url", "urls"),
        ("URLs", "urls"),
        ("tag", "tags"),
        ("email", "emails"),
        ("e-mails", "emails"),
        ("links", "urls"),
        ("html", "tags"),
        ("ALL", "all"),
    ],
)
def test_a_typo_in_a_kind_is_not_a_name(item, meant):
    with pytest.raises(ValueError, match=f'did you mean "{meant}"') as caught:
        Protection([item])
    pattern = re.search(r"re\.compile\('(.*)'\)", str(caught.value))[1]
    assert re.fullmatch(pattern.replace("\\\\", "\\"), item)


@pytest.mark.parametrize("word", ["gdpr", "secrets", "acme", "bank_accounts", "x"])
def test_a_lower_case_word_alone_must_be_a_kind_and_in_a_list_it_is_kept(word):
    for take in (Protection, Protection.of, with_code):
        with pytest.raises(ValueError, match=rf"no kind '{word}'\. The kinds are \"placeholders\".*\['{word}'\]"):
            take(word)
    assert stretches(f"the {word} works", word) == [word]


@pytest.mark.parametrize("name", ["Acme", "GDPR", "big blue", "c++", "微信", "é"])
def test_what_no_kind_is_written_like_may_be_kept_alone(name):
    assert Protection(name).masked([f"the {name} works"])[0].stretches == [name]


@pytest.mark.parametrize("name", ["iphone", "Tag Heuer", "acme", "x", "Urlaub", "tagesschau", "alle"])
def test_a_name_may_look_a_little_like_a_kind(name):
    assert stretches(f"the {name} works", name) == [name]


@pytest.mark.parametrize(
    "given", [5, [5], [None], [re.compile(b"x")], [["Acme"]], pd.DataFrame({"a": []}), {1: 2}.items(), True]
)
def test_what_is_no_item_is_refused(given):
    with pytest.raises(TypeError, match=r'protect: expected "all" or a list'):
        Protection(given)


def test_a_blank_name_is_refused():
    with pytest.raises(ValueError, match="found a blank text"):
        Protection(["Acme", " "])


@pytest.mark.parametrize(
    "given", [False, "none", ["none"], [], (), set(), pd.Series(["none"]), pd.Series([], dtype=str)]
)
def test_nothing_to_protect_is_no_protection(given):
    assert Protection.of(given) is None


def test_one_item_needs_no_list_and_any_collection_will_do():
    text = "Acme {x} <b>"
    assert Protection("tags").masked([text])[0].stretches == ["<b>"]
    assert Protection(re.compile("A.me")).masked([text])[0].stretches == ["Acme"]
    listed = ["Acme", "tags"]
    for made in (Protection, Protection.of):
        for many in (tuple(listed), {*listed}, pd.Series(listed), pd.Index(listed), iter(listed)):
            assert made(many).masked([text])[0].stretches == ["Acme", "<b>"]


def test_with_tag_handling_tags_are_left_to_the_service():
    with pytest.raises(ValueError, match="tag_handling='html'"):
        Protection(["tags"], tag_handling="html")
    (found,) = Protection("all", tag_handling="html").masked(["<b>{x}</b>"])
    assert found.stretches == ["{x}"]


# ---- masks

# Made to be mistaken: brackets, digits and letters of masks, of any width and alphabet.
CONFUSING = st.text(alphabet=st.sampled_from("[]［］【】 01٣XxХKkКTtТa.{}<>/%s我\n\x00\ud800\u202e👍"), max_size=30)
KEPT = st.sampled_from(
    ["{x}", "<b>", "</b>", "<br/>", "%s", "https://a.example", "[[0]]", "XK1T", "{n, plural, other {"]
)


def built(texts, kept):
    """A text of *texts* with *kept* between them, and where those are."""
    whole, spans = texts[0], []
    for text, stretch in zip(texts[1:], kept, strict=False):
        spans.append((len(whole), len(whole) + len(stretch)))
        whole += stretch + text
    return whole, Masked(whole, spans)


@given(st.lists(CONFUSING, min_size=6, max_size=6), st.lists(KEPT, min_size=1, max_size=5))
def test_masks_that_come_back_as_they_were_give_the_text_back(texts, kept):
    whole, made = built(texts, kept)
    for form in (FIRST, SECOND):
        assert made.restored(made.asked(form), form) == whole


@given(CONFUSING)
def test_whatever_a_text_holds_it_comes_back(text):
    protection = Protection(["all", "a", re.compile("[0X]")])
    (made,) = protection.masked([text])
    if made:
        assert [made.restored(made.asked(form), form) for form in (FIRST, SECOND)] == [text, text]


@given(st.permutations(["{a}", "{b}", "{c}", "{d}"]))
def test_masks_may_come_back_in_any_order(order):
    text, answer = "of {a} and {b} with {c} in {d}", " y ".join(order)
    made = masked(text)
    for form in (FIRST, SECOND):
        masks = dict(zip(made.stretches, (FORMS[form].written % number for number in range(4)), strict=True))
        assert made.restored(" y ".join(masks[stretch] for stretch in order), form) == answer


@BOTH
def test_a_mask_that_is_lost_doubled_changed_or_invented_is_seen(form):
    made = masked("of {a} and {b}")
    one, two, three = (FORMS[form].written % number for number in range(3))
    assert made.restored(f"von {one} und {two}", form) == "von {a} und {b}"
    wrong = [
        "",
        "von",
        f"{one}",
        f"{two} {two}",
        f"{one} {two} {one}",
        f"{one} {three}",
        f"{one} {two} {three}",
    ]
    wrong.append(f"{one} {two[:-1]}")
    assert [made.restored(answer, form) for answer in wrong] == [None] * len(wrong)


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        (FIRST, "[[ 0 ]]"),
        (FIRST, "［［0］］"),
        (FIRST, "【【０】】"),
        (FIRST, "[[٠]]"),
        (SECOND, "xk0t"),
        (SECOND, "Xk0t"),
        (SECOND, "ХК0Т"),
        (SECOND, "XK０T"),
    ],
)
def test_a_mask_in_other_letters_is_still_a_mask(form, answer):
    assert masked("see {x}").restored(f"a {answer} b", form) == "a {x} b"


@BOTH
def test_what_looks_like_a_mask_in_a_text_keeps_its_number_and_may_vanish(form):
    zero, one, two, seven = (FORMS[form].written % number for number in (0, 1, 2, 7))
    made = masked(f"{zero} and {two} and {{x}} and {{y}}")
    three, four = (FORMS[form].written % number for number in (3, 4))
    assert made.asked(form) == f"{zero} and {two} and {three} and {four}"
    assert made.restored(f"{four} {zero.lower()} {three}", form) == f"{{y}} {zero.lower()} {{x}}"
    assert made.restored(f"{four} {three}", form) == "{y} {x}"
    assert made.restored(f"{four} {three} {seven}", form) is None
    assert made.restored(f"{one} {four} {three}", form) is None


@pytest.mark.parametrize(
    ("text", "order", "whole"),
    [
        ("<b>a</b> c", "10", False),
        ("<b>a</b> and <i>b</i>", "2301", True),
        ("<b>a</b> and <i>b</i>", "0213", False),
        ("<b>a</b> and <i>b</i>", "2031", False),
        ("<b>a</b> and <b>b</b>", "0321", True),
        ("<a x>a</a> and <a y>b</a>", "2103", True),
        ("<b>a <i>b</b> c</i> d <br> e", "01243", True),
        ("<b>a <i>b</b> c</i> d <br> e", "10234", False),
        ("</b> a <b> c", "10", False),
        ("<i>a</i> and <b> c", "021", False),
        ("<i>a</i> and <b/> c", "021", True),
        ("<i>a</i> and <!-- <b> --> c", "021", True),
        ("<1>a</1> and <2>b</2>", "0213", False),
        ("<![CDATA[ a ]]> b <br> c", "201", True),
        ("<![CDATA[ a ]]> b <br> c", "102", False),
        ("<b>a <i>b</i> c</b>", "0123", True),
        ("<b>a <i>b</i> c</b>", "1203", False),
        ("<b>a <i>b</i> c</b>", "0132", False),
        ("<B>a <br> c</b>", "210", False),
        ("<b>a <br> c</b>", "021", True),
        ("<b>a <i>b</i> <i>c</i> d</b>", "034125", True),
        ("<b>a <i>b</i> <i>c</i> d</b>", "012354", False),
        ("{n, plural, one {a} other {b}} c", "012", True),
        ("{n, plural, one {a} other {b}} c", "102", False),
        ("{n, plural, one {a} other {b}} c {x} d", "3012", True),
        ("{n, plural, one {a} other {b}} c {x} d", "0312", False),
        ("{n, plural, one {a} other {b}} c {x} d", "0132", False),
        ("{n, plural, other {x {a} of {b} files}} y", "0213", True),
        ("{n, plural, one {x {a} y} other {x {b} y}} z", "03214", False),
        ("{n, plural, other {a}} and {m, plural, other {b}} c", "2301", True),
        ("{n, plural, other {a}} and {m, plural, other {b}} c", "0213", False),
        ("{n, plural, one {'{' a {x} b <br> c} other {d}} e", "02134", True),
        ("{n, plural, one {'{' a {x} b <br> c} other {d}} e", "01324", False),
    ],
)
def test_what_opens_stays_before_what_closes(text, order, whole):
    made = masked(text)
    answer = " ".join(f"[[{number}]]" for number in order)
    came = " ".join(made.stretches[int(number)] for number in order)
    assert made.restored(answer, FIRST) == (came if whole else None)


# ---- columns


class Clumsy:
    """A translator that does *spoil* to every text; `spoil` may be changed at any time."""

    name = "clumsy"

    def __init__(self):
        self.spoil = str
        self.seen = []

    def pairs(self):
        return {("en", target) for target in ("de", "fr", "es")}

    def ready(self, source, target):
        return True

    def translate(self, texts, source, target):
        self.seen += texts
        return [self.spoil(text) for text in texts]

    def close(self):
        pass


@pytest.fixture
def clumsy(running):
    before, engine = running.state.translators, Clumsy()
    running.state.translators = Translators([engine])
    yield engine
    running.state.translators = before


def losing(*forms):
    """Spoils every mask of *forms*."""

    def spoil(text):
        for form in forms:
            text = FORMS[form].read.sub("", text)
        return text

    return spoil


def translated(column, target_lang="DE", **fields):
    fields = {"source_lang": "EN", "progress": False, "protect": "all", **fields}
    return column.svc.translate(target_lang, **fields)


def tabled(column, target_lang="DE", **fields):
    fields = {"source_lang": "EN", "progress": False, "protect": "all", **fields}
    return column.svc.translate_table(target_lang, **fields)


def check_counts(counters, rows):
    """The report, the table and the service agree, and every row is counted once."""
    report, table = svc_nb.last_run().progress, svc_nb.last_run().table()
    assert report.finished == report.rows == rows
    statuses = table["status"].value_counts()
    assert [report.done, report.failed, report.unsent.total()] == [
        statuses.get(status, 0) for status in ("done", "failed", "unsent")
    ]
    assert report.stored == (table["from_store"] & (table["status"] == "done")).sum()
    assert table["billed_characters"].sum() == report.billed == counters.characters


COLUMN = pd.Series(
    [
        "Hello {name}!",
        None,
        "Buy Acme now",
        "{x} %s",
        "Hello {you}!",
        "no stretch",
        "See https://a.example/b.",
    ],
    index=[7, 7, "x", None, 7, 3, 3],
    name="text",
)


def test_stretches_survive_and_the_shape_too(counters):
    result = translated(COLUMN, protect=["all", "Acme"])
    assert listed(result) == [
        "[DE] Hello {name}!",
        None,
        "[DE] Buy Acme now",
        "{x} %s",
        "[DE] Hello {you}!",
        "[DE] no stretch",
        "[DE] See https://a.example/b.",
    ]
    assert result.index.equals(COLUMN.index)
    assert result.name == "text"
    table = svc_nb.last_run().table()
    assert table["reason"].iloc[3] == "protected"
    assert table["status"].iloc[3] == "skipped"
    check_counts(counters, 7)


def test_texts_that_differ_in_stretches_alone_are_paid_for_once(counters, clumsy):
    column = pd.Series([f"Dear {{user_{number}}}, see <b>{number}</b>" for number in range(500)])
    column = column.str.replace(r"(\d+)</b>", r"{\1}</b>", regex=True)
    assert listed(translated(column)) == column.tolist()
    assert clumsy.seen == ["Dear [[0]], see [[1]]"]
    assert counters.characters == len(clumsy.seen[0])
    check_counts(counters, 500)


def test_the_plan_counts_what_is_really_sent(counters):
    column = pd.Series(["Dear {a_very_long_name}", "Dear {x}", "{x}", "{y}: 5", None, "plain"])
    plan = column.svc.plan("DE", source_lang="EN", protect="all")
    assert counters.texts_requests == 0
    assert (plan.unique, plan.characters, plan.failed) == (2, len("Dear [[0]]plain"), 0)
    assert plan.skipped == {"missing": 1, "protected": 2}
    translated(column)
    assert counters.characters == plan.characters


def test_a_text_without_other_letters_is_not_sent_even_when_nothing_is_skipped(counters):
    column = pd.Series(["{x}", "https://a.example", "%s - 5!", "<br> 👍"])
    assert listed(translated(column, skip=())) == column.tolist()
    assert counters.requests() == 0


def test_rules_still_keep_out_what_is_not_protected(counters):
    column = pd.Series(["https://a.example", "42", " ", "{x} a"])
    table = tabled(column, protect=["placeholders"])
    assert listed(table["reason"]) == ["url", "no_letters", "blank", None]
    assert {"url", "no_letters", "blank"} <= RULES


def test_a_row_that_lost_its_masks_is_sent_once_more_with_others(counters, clumsy):
    clumsy.spoil = losing(FIRST)
    assert listed(translated(COLUMN, protect=["all", "Acme"])) == listed(COLUMN)
    assert clumsy.seen.count("Hello [[0]]!") == clumsy.seen.count("Hello XK0T!") == 1
    assert clumsy.seen.count("no stretch") == 1
    check_counts(counters, 7)


def test_a_row_that_lost_both_masks_is_marked_and_leaves_a_gap(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    result = translated(COLUMN, errors="coerce")
    assert listed(result) == [None, None, "Buy Acme now", "{x} %s", None, "no stretch", None]
    table = svc_nb.last_run().table()
    lost = [0, 4, 6]
    assert set(table["status"].iloc[lost]) == {"failed"}
    assert set(table["reason"].iloc[lost]) == {"protection_lost"}
    assert table["text"].iloc[lost].isna().all()
    assert table["trace_id"].iloc[lost].notna().all()
    check_counts(counters, 7)


def test_a_row_that_lost_both_masks_raises_at_the_end_and_says_what_to_do(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    with pytest.raises(
        errors.RowsFailed, match=r"3 of 7 rows failed; the first is row 0 .*protection_lost: .*protect less"
    ):
        translated(COLUMN)
    assert svc_nb.last_run().partial().notna().sum() == 3


def test_by_default_a_text_that_lost_both_masks_is_sent_as_it_is_and_says_so(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    column = pd.Series(["See https://a.example/X now", "See https://a.example/X now", "A house."])
    table = tabled(column, protect=None)
    assert listed(table["text"]) == listed(column)
    assert set(table["status"]) == {"done"}
    assert listed(table["reason"]) == ["protection_lost", "protection_lost", None]
    assert table["billed_characters"].sum() == counters.characters
    assert [text for text in clumsy.seen if text.startswith("See")] == [
        "See [[0]] now",
        "See XK0T now",
        "See \ue000 now",
    ]
    check_counts(counters, 3)
    # All answers are stored, and nothing is paid for again.
    spent, plan = counters.characters, column.svc.plan("DE", source_lang="EN")
    assert (plan.characters, plan.stored) == (0, 2)
    again = tabled(column, protect=None)
    assert listed(again["reason"]) == listed(table["reason"])
    assert again["from_store"].all()
    assert counters.characters == spent
    # Explicit protection never sends a text unmasked.
    assert tabled(column, protect="urls")["status"].tolist() == ["failed", "failed", "done"]


def test_what_was_paid_for_is_never_paid_again(counters, clumsy):
    clumsy.spoil = losing(FIRST)
    translated(COLUMN)
    paid, seen = counters.characters, len(clumsy.seen)
    plan = COLUMN.svc.plan("DE", source_lang="EN", protect="all")
    assert (plan.characters, plan.requests, plan.stored, plan.failed) == (0, 0, plan.unique, 0)
    assert listed(translated(COLUMN)) == listed(COLUMN)
    assert (counters.characters, len(clumsy.seen)) == (paid, seen)
    report = svc_nb.last_run().progress
    assert (report.done, report.stored, report.billed) == (5, 5, 0)


def test_the_plan_knows_what_the_first_masks_came_to(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    column = pd.Series(["Dear {x}", "Dear {y}", "plain"])
    first = column.svc.plan("DE", source_lang="EN", protect="all", budget=18)
    translated(column, errors="coerce", budget=len("Dear [[0]]plain"))
    paid = counters.characters
    second = column.svc.plan("DE", source_lang="EN", protect="all")
    assert (first.characters, paid, second.characters) == (15, 15, len("Dear XK0T"))
    translated(column, errors="coerce")
    assert counters.characters - paid == second.characters
    last = column.svc.plan("DE", source_lang="EN", protect="all")
    assert (last.characters, last.failed) == (0, 2)


def test_rows_that_failed_can_be_tried_again_and_cost_nothing(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    column = pd.Series(["Dear {x}", "plain"])
    translated(column, errors="coerce")
    paid, job = counters.characters, svc_nb.last_run()
    assert listed(job.retry_failed()) == [None, "plain"]
    assert counters.characters == paid
    clumsy.spoil = str
    svc_nb.store.clear()
    assert listed(translated(column)) == ["Dear {x}", "plain"]


def test_what_the_store_has_lost_is_not_paid_again_when_rows_are_tried_again(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    column = pd.Series(["Dear {x}", "plain"])
    translated(column, errors="coerce")
    paid, job = counters.characters, svc_nb.last_run()
    svc_nb.store.clear()
    assert listed(job.retry_failed()) == [None, "plain"]
    assert counters.characters == paid


def test_the_pieces_of_a_text_that_failed_are_not_paid_again_when_it_is_tried_again(running, reached, clumsy):
    counters = Counters(running, reached(pool_size=1))
    text = " ".join(f"Sentence number {number} has {{x{number}}}." for number in range(8000))
    running.faults.add("quota", operation="/v2/translate", characters=150_000)
    assert listed(translated(pd.Series([text]), errors="coerce")) == [None]
    paid, job = counters.characters, svc_nb.last_run()
    assert paid > 2**16
    running.faults.clear()
    svc_nb.store.clear()
    assert listed(job.retry_failed()) == [text]
    assert counters.characters == len(masked(text).asked(FIRST)) - 2


def test_the_budget_covers_both_tries(counters, clumsy):
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{word} {{x}}" for word in ("one", "two", "six", "ten")])
    budget = 4 * len("one [[0]]") + 2 * len("one XK0T") + 1
    table = tabled(column, budget=budget)
    assert table["status"].value_counts().to_dict() == {"done": 2, "unsent": 2}
    assert set(table["reason"].dropna()) == {"budget"}
    assert counters.characters == budget - 1
    check_counts(counters, 4)
    assert listed(translated(column)) == column.tolist()
    assert counters.characters == 4 * len("one [[0]]one XK0T")


def test_a_run_that_was_stopped_leaves_the_second_try_for_the_next(running, counters, clumsy):
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{'x' * 40} {number} {{x}}" for number in range(100)])
    running.faults.add("quota", operation="/v2/translate", characters=50 * 60)
    with pytest.raises(errors.QuotaExceeded):
        translated(column)
    table = svc_nb.last_run().table()
    assert set(table["status"]) == {"unsent"}
    assert set(table["reason"]) == {"quota"}
    check_counts(counters, 100)
    running.faults.clear()
    assert listed(translated(column)) == column.tolist()


def test_a_quota_spent_in_the_second_try_keeps_what_is_done(running, counters, clumsy):
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{number:04} word {{x}}" for number in range(100)])
    running.faults.add("quota", operation="/v2/translate", characters=100 * 15 + 50 * 14)
    result = translated(column, errors="coerce")
    assert result.notna().sum() == 50
    check_counts(counters, 100)
    running.faults.clear()
    assert listed(translated(column)) == column.tolist()


def test_a_job_that_is_cancelled_says_what_was_not_sent(running, counters, clumsy):
    running.faults.add("latency", operation="/v2/translate", seconds=0.05)
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{number:04} word {{x}}" for number in range(1000)])
    job = column.svc.start_translate("DE", source_lang="EN", protect="all")
    until(lambda: job.progress.done or job.done())
    partial = job.partial()
    assert partial.isna().all()  # every first answer lost its masks
    assert set(job.table()["status"]) == {"open"}
    job.cancel()
    assert job.result().isna().all()
    assert set(job.table()["reason"]) == {"interrupted"}
    check_counts(counters, 1000)
    running.faults.clear()
    assert listed(translated(column)) == column.tolist()


def test_a_job_can_be_read_at_any_time_and_never_shows_a_mask(running, counters, clumsy):
    running.faults.add("latency", operation="/v2/translate", seconds=0.01)
    calls = iter(range(10**6))
    clumsy.spoil = lambda text: losing(FIRST)(text) if next(calls) % 3 else text
    column = pd.Series([f"{number:04} word {{x}}" for number in range(600)])
    job = column.svc.start_translate("DE", source_lang="EN", protect="all")
    while not job.done():
        shown = pd.concat([job.partial(), job.table()["text"]]).dropna()
        assert shown.str.fullmatch(r"\d{4} word \{x\}").all()
    assert listed(job.result()) == column.tolist()
    check_counts(counters, 600)


def test_a_job_can_be_paused_in_its_second_try(running, reached, clumsy):
    counters = Counters(running, reached(pool_size=1))
    running.faults.add("latency", operation="/v2/translate", seconds=0.02)
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{number:04} word {{x}}" for number in range(600)])
    job = column.svc.start_translate("DE", source_lang="EN", protect="all")
    until(lambda: any("XK0T" in text for text in clumsy.seen))
    job.pause()
    until(lambda: not job.progress.in_flight)
    sent = counters.requests()
    time.sleep(0.1)
    assert counters.requests() == sent < 24
    job.resume()
    assert listed(job.result()) == column.tolist()
    check_counts(counters, 600)


def test_faults_on_the_way_shift_no_row(running, counters, clumsy):
    running.faults.add("status", operation="/v2/translate", status=503, probability=0.3, count=5)
    clumsy.spoil = losing(FIRST)
    column = pd.Series([f"{number:04} word {{x{number}}}" for number in range(300)])
    assert listed(translated(column)) == column.tolist()
    check_counts(counters, 300)


def test_one_of_two_rows_with_one_question_may_lose_what_it_opened(counters, clumsy):
    clumsy.spoil = lambda text: text.replace("[[0]]a[[1]]", "[[1]]a[[0]]")
    column = pd.Series(["<b>a</b> c", "{x}a{y} c"])
    assert listed(translated(column)) == ["<b>a</b> c", "{y}a{x} c"]
    assert clumsy.seen == ["[[0]]a[[1]] c", "XK0TaXK1T c"]
    check_counts(counters, 2)


def test_columns_and_targets_share_one_pool(counters, clumsy):
    clumsy.spoil = losing(FIRST)
    frame = pd.DataFrame({"a": ["Hi {x}", "Hi {y}"], "b": ["Hi {z}", None]}, index=[1, 1])
    result = frame.svc.translate(["a", "b"], ["DE", "FR"], source_lang="EN", progress=False, protect="all")
    assert result.to_dict("list")["a_FR"] == ["Hi {x}", "Hi {y}"]
    assert listed(result["b_DE"]) == ["Hi {z}", None]
    assert sorted(clumsy.seen) == ["Hi XK0T", "Hi XK0T", "Hi [[0]]", "Hi [[0]]"]
    check_counts(counters, 8)


def test_a_column_is_masked_once_for_all_its_targets(counters, clumsy):
    asked = []

    class Counted(Protection):
        def masked(self, texts):
            asked.append(len(texts))
            return super().masked(texts)

    protection = Counted("all")
    column = pd.Series(["Hi {x}", "Hi {y}", "{z}"])
    result = translated(column, ["DE", "FR", "ES"], protect=protection, source_lang=["EN", "EN", "EN"])
    assert asked == [3]
    assert listed(result["ES"]) == ["Hi {x}", "Hi {y}", "{z}"]


def test_every_row_may_name_its_own_language(counters):
    column = pd.Series(["Hi {x}", "Hi {y}", "{z}"])
    result = translated(column, source_lang=["EN", "FR", "DE"])
    assert listed(result) == ["[DE] Hi {x}", "[DE] Hi {y}", "{z}"]


def test_a_language_is_found_out_by_the_words_alone(counters):
    texts = [f"https://a.example/{number} Das ist ein schöner Tag für alle {{x}}" for number in range(100)]
    column = pd.Series([*texts, "{x}"])
    assert listed(translated(column, source_lang="detect")) == column.tolist()  # it is German already
    assert set(svc_nb.last_run().table()["reason"]) == {"same_language", "protected"}
    assert counters.requests(operation=DETECT) == 1


def test_categories_indexes_and_cells_that_are_no_text_are_served(counters):
    category = pd.Series(["Hi {x}", "Hi {y}", "Hi {x}"], dtype="category")
    assert translated(category).tolist() == ["[DE] Hi {x}", "[DE] Hi {y}", "[DE] Hi {x}"]
    assert translated(pd.Index(["Hi {x}"], name="n")).tolist() == ["[DE] Hi {x}"]
    assert listed(translated(pd.Series([5, "Hi {x}", "{x}"]), errors="coerce")) == [
        None,
        "[DE] Hi {x}",
        "{x}",
    ]


def test_half_a_surrogate_pair_fails_alone_wherever_it_is(counters):
    column = pd.Series(["Hi {\ud83d}", "Hi \ud83d {x}", "{\ud83d}", "Hi {\x00}"], dtype=object)
    table = tabled(column)
    assert table["status"].tolist() == ["failed", "failed", "failed", "done"]
    assert table["text"].iloc[3] == "[DE] Hi {\x00}"


def test_a_text_too_large_for_a_request_keeps_its_stretches(counters, clumsy):
    text = " ".join(f"Sentence number {number} has {{x{number}}}." for number in range(8000))
    assert len(text) > 2**17
    assert listed(translated(pd.Series([text]))) == [text]
    clumsy.spoil = losing(FIRST)
    text += " And so on."
    assert listed(translated(pd.Series([text]))) == [text]
    assert svc_nb.last_run().progress.billed == svc_nb.last_run().table()["billed_characters"].sum()


@pytest.mark.long
@pytest.mark.parametrize("unit", ["第{%d}个（文）", "abc{%d}（x）"])
def test_texts_without_spaces_too_large_for_a_request_are_paid_for_once(counters, clumsy, unit):
    clumsy.spoil = lambda text: f"<{text}>"  # what was cut in two stays so
    text = "".join(unit % number for number in range(12_000))
    column = pd.Series([f"{'字' * number}（）{text}" for number in range(4)])
    asked = [masked(each).asked(FIRST) for each in column]
    assert min(map(len, asked)) > 2**17
    assert listed(translated(column).str.replace("[<>]", "", regex=True)) == column.tolist()
    assert counters.characters <= sum(map(len, asked))  # they have pieces in common
    assert not any("XK" in seen for seen in clumsy.seen)


def test_tags_in_a_text_with_tag_handling_are_the_services_business(counters):
    column = pd.Series(["<p>Hi {x} &amp; <b>you</b></p>"])
    with pytest.raises(ValueError, match="tag_handling='html'"):
        translated(column, protect=["tags"], tag_handling="html")
    assert listed(translated(column, tag_handling="html")) == ["<p>[DE] Hi {x} &amp; <b>you</b></p>"]


@pytest.mark.parametrize("method", ["plan", "translate", "translate_table", "start_translate"])
def test_a_typo_is_refused_by_every_method_before_anything_is_sent(counters, method):
    with pytest.raises(ValueError, match='did you mean "urls"'):
        getattr(COLUMN.svc, method)("DE", protect=["url"])
    assert counters.texts_requests == 0


def test_without_protection_nothing_is_masked(counters, clumsy):
    for protect in (None, []):
        assert listed(translated(pd.Series(["Hi {x}"]), protect=protect)) == ["Hi {x}"]
    assert clumsy.seen == ["Hi {x}"]


# ---- a real translator

SENTENCES = [
    "Hello {}, you have {} new messages.",
    "Click {} to open {}.",
    "{} is not available in {}.",
    "The file {} could not be saved: {}.",
    "We love {}'s new design.",
    "Price: {}{} per month",
    "{}Read more{} about our {}",
    "({}) and [{}] are different",
    "Click {}here{} to {}log in{}.",
    "Line one.{}Line two.",
    "Your {}-day trial ends {}.",
    "You have {}%",
]


@pytest.mark.skipif(sys.platform == "win32", reason="no Apertium on Windows")
@BOTH
def test_apertium_leaves_masks_alone_and_translates_the_text_beside_them(form):
    engine = installed(["apertium"])
    if ("en", "es") not in engine.pairs():
        pytest.skip("Apertium is not installed")
    made = [masked(sentence, re.compile(r"\{\}")) for sentence in SENTENCES]
    try:
        answers = engine.choose("en", "es").translate([each.asked(form) for each in made], "en", "es")
    finally:
        engine.close()
    came = [each.restored(answer, form) for each, answer in zip(made, answers, strict=True)]
    assert None not in came
    if form == FIRST:
        assert came[8] == "Clic {}aquí{} a {}registro en{}."


def test_counts_are_those_of_the_service(running, reached, clumsy):
    counters = Counters(running, reached())
    clumsy.spoil = losing(FIRST)
    translated(COLUMN)
    check_counts(counters, 7)
