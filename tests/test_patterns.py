"""No regular expression of the package, its panels and its extension takes more than linear time, whatever it reads."""

import re
import signal
import time
from pathlib import Path

import pytest

import svc_nb
from tests.patterns import ANCHORED, found, hard, in_scripts, rooms

HERE = Path(svc_nb.__file__).parent
SCRIPTS = [
    path.relative_to(HERE).as_posix()
    for path in (*HERE.glob("panels/front/**/*.js"), *HERE.glob("lab/extension/src/**/*.ts*"))
]

SIZES = (24, 256, 4096)
SHORT = 0.003  # seconds; so long may a pattern take for the largest of these sizes without a second look
MOST = 0.3
LINEAR = 3  # twice the size costs about twice as much, in quadratic time four times

# What stands for patterns that are made of local names, and those whose patterns are held in tables.
EXAMPLES = {
    "f'extra == .{extra}.$'": "extra == .lab.$",
    "f'([{letters}])\\\\1{{4,}}'": r"([abc])\1{4,}",
    "f'[{alone}]+|[{others}]+(?<={letter}{letter})|[{others}](?={letter}){greek}'": "[ab]+|c+(?<=[a-c]{2})|c(?=[a-c])",
    "'|'.join(map(re.escape, listed.replace('@', '').split()))": "no|not",
    "'|'.join(map(re.escape, words.replace('_', ' ').split()))": "no|not",
    "f\"(?<!\\\\w)(?:{'|'.join(words) or '(?!)'})(?!\\\\w)\"": r"(?<!\w)(?:no|not at)(?!\w)",
    "f'\\\\b(?:{MONTHS[month]})'": r"\b(?:mar|mär)",
    "table[int(value)]": r"\bsix\b|\bsechs",
    "f'{mark}(?=[^\\\\W_])(?!(?<=[A-Z]{mark})[A-Z])'": r"&(?=[^\W_])(?!(?<=[A-Z]&)[A-Z])",
    "re.escape(term)": r"a\ term",
    "f'(?<!\\\\d)(?:{pattern})'": r"(?<!\d)(?:am|a\.m\.)",
    "f'\\\\b{code}\\\\b'": r"\bEUR\b",
    "found.get('spark.redaction.regex', REDACTED)": r"(?i)secret|password|token|access[.]?key",
    "'|'.join((f\"{(_NO_LETTER_BEFORE if stretch[0].isalnum() else '')}{re.escape(stretch)}"
    "{(_NO_LETTER_AFTER if stretch[-1].isalnum() else '')}\" for stretch in sorted(set(self.stretches), key=len, "
    "reverse=True)))": r"(?<![^\W_])a\ b(?![^\W_])|%s",
    'f"""(?<![\\\\w.-]){re.escape(path.stem)}(?:\\\\.\\\\w+|/)?#([^\\\\s()\\\\"\'<>\\\\\\\\\\\\]]+)"""': (
        r"""(?<![\w.-])page(?:\.\w+|/)?#([^\s()\"'<>\\\]]+)"""
    ),
    "f'</{raw[1]}\\\\s*>'": r"</script\s*>",
    "f\"([{re.escape(''.join(signs))}])\"": "([*_])",
    "'[ \\\\t]*[\"\\']?([\\\\w-]+)[\"\\']?[ \\\\t]*[:=]' if token.markup in '+{' else '([\\\\w-]+)[ \\\\t]*:'": (
        r"""[ \t]*["']?([\w-]+)["']?[ \t]*[:=]"""
    ),
    "f'(?m)^({re.escape(key)}[ \\\\t]*:).*$'": r"(?m)^(title[ \t]*:).*$",
    "special": r'[\\&<|"]',
    "'|'.join(map(re.escape, forms))": "one|two",
    "fnmatch.translate(shell)": r"(?s:(?>.*?a)(?>.*?b).*)\Z",
    "f'(?<!\\\\w)({words})(?!\\\\w)'": r"(?<!\w)(CO2|H2O)(?!\w)",
    "f\"(?<![\\\\w'’-])(?i:({words})(?: \\\\1)+)(?![\\\\w'’-])\"": r"(?<![\w'’-])(?i:(the|a)(?: \1)+)(?![\w'’-])",
    "re.sub('{\\\\w+}', '[^/]+', path)": "/v3/glossaries/[^/]+/entries",
    "f'(?=</{name}[\\\\s/>])|\\\\Z'": r"(?=</script[\s/>])|\Z",
    "f'\\\\b{word}\\\\b'": r"\bword\b",
    "sign": "a",
    "f'(?<![a-z0-9]){re.escape(word)}'": "(?<![a-z0-9])word",
    "'[\\n\\r\\x00\\t]' if separator == '\\t' else '[\\n\\r\\x00]'": "[\n\r\0\t]",
    'f\'{separator}"(?!"(?!"))\'': ';"(?!"(?!"))',
}
TABLES = ("pattern", "re.sub('<([A-Z]+)>', lambda part: str(_TABLES['parts'][part[1]]), pattern)")

# What is used in a gentler way than the code around the pattern shows, and why that cannot be slow.
SHORT_NAME = (), "names have at most 60 characters"
BEGINNING = ("match",), "it is only matched at the beginning of a text or line"
ONWARDS = ("match",), "each match begins where the one before ended, and there is none after a failure"
LAST = ("match",), "what does not end is read as one token, which ends the reading"
ADDRESS = ("match",), "it is matched behind the beginning of an address, and takes the next beginnings with it"
USED = {
    "svc_nb.checks.markup.ARM": ONWARDS,
    "svc_nb.checks.markup.MESSAGE_END": ONWARDS,
    "svc_nb.columns.nested._BRACKET": ((), "it reads what was read as JSON before, where every string ends"),
    "svc_nb.columns.nested._COLON": ONWARDS,
    "svc_nb.columns.protected_spans._REST_OF_PATH": ADDRESS,
    "svc_nb.columns.protected_spans._REST_OF_URL": ADDRESS,
    "svc_nb.glossaries.headings.REMARK": SHORT_NAME,
    "svc_nb.glossaries.headings.SIDE_FIRST": SHORT_NAME,
    "svc_nb.glossaries.headings.SIDE_LAST": SHORT_NAME,
    "svc_nb.language_codes.WITH_MORE": SHORT_NAME,
    "svc_nb.notebooks.code.comments._R": LAST,
    "svc_nb.notebooks.code.comments._SCRIPT": LAST,
    "svc_nb.notebooks.code.python._MAGIC": BEGINNING,
    "svc_nb.notebooks.code.python_prose._COMMAND_LINE": BEGINNING,
    "svc_nb.notebooks.code.python_prose._DATA": BEGINNING,
    "svc_nb.notebooks.code.python_prose._PATH": BEGINNING,
    "svc_nb.notebooks.code.python_prose._SQL": BEGINNING,
    "svc_nb.notebooks.code.python_prose._TEMPLATE": BEGINNING,
    "svc_nb.notebooks.markup.markdown.BEFORE_TABLE": BEGINNING,
    "svc_nb.notebooks.markup.markdown.STAYS": BEGINNING,
    "svc_nb.notebooks.markup.parser.ADMONITION": BEGINNING,
    "svc_nb.notebooks.markup.parser.SLASHES": BEGINNING,
    "svc_nb.service.formats.formulas._BEFORE_ORDER": (("match",), "it is matched behind a constant"),
    "svc_nb.service.formats.markup._CHARSET": ((), "it reads the first 4,096 bytes of a page"),
    "svc_nb.service.formats.passage._IN_MESSAGE": ONWARDS,
    "svc_nb.service.translators.apertium._ENGLISH_CAPITALS": (("fullmatch",), "it judges single words"),
    "svc_nb.tabular.cells.QUOTES": BEGINNING,
    "svc_nb.tabular.cells.RUNS": BEGINNING,
}


# What reads only what the code holds.
CONSTANT = {r"\s*\n\s*": "lab/extension/src/kernel.ts"}


@pytest.mark.long
@pytest.mark.parametrize("room", rooms())
def test_every_pattern_reads_hostile_and_monotonous_text_in_linear_time(room):
    patterns, unknown = found(room, EXAMPLES)
    assert unknown <= {*TABLES}, "give an example of these in EXAMPLES"
    slow = {each.where: why for each in patterns if (why := _slow(each))}
    assert slow == {}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_pattern_of_the_panels_and_the_extension_reads_hostile_text_in_linear_time(script):
    slow = {}
    for line, pattern in in_scripts((HERE / script).read_text(encoding="utf-8")):
        if isinstance(pattern, str):
            slow[line] = f"Python may read {pattern} differently: write another, or try it in a browser"
        elif CONSTANT.get(pattern.pattern) != script and (case := _first_slow(pattern, "finditer")):
            slow[line] = case
    assert slow == {}


def test_a_pattern_of_a_script_is_found_wherever_it_stands_and_means_the_same():
    source = r"""
        const half = (a / 2 + b / 2) / c; // a/b
        const [X, Y] = [/a"\/[/$]b$/, /^.*\s+$/gm];
        if (!/\p{M}/u.test(`${[text.replace(/\u2026$/i, "")]}`)) return /it's/;
        /* (/ no */ const tag = <b><i>{x}</i><br/></b>;
        texts.map((text) => /\w+$/.exec(text) ?? new RegExp(`^${text}$`) ?? text.match("a+"));
        const [one, two] = [/(?<name>a)/, /a/y];
    """
    assert [(line, getattr(each, "pattern", each)) for line, each in in_scripts(source)] == [
        (3, r'a"\/[/$]b\Z'),
        (3, "^[^\\n\\r\\u2028\\u2029]*\\s+$"),
        (4, "[\u0300-\u036f]"),
        (4, r"\u2026\Z"),
        (4, "it's"),
        (6, r"/\w+$/"),
        (6, "RegExp("),
        (6, '.match("'),
        (7, "/(?<name>a)/"),
        (7, "/a/y"),
    ]


@pytest.mark.long
def test_a_quadratic_pattern_is_found():
    slow = {r"\s+$": "search", r"\w+ ?=": "finditer", r'"[^"]*a[^"]*"': "fullmatch", r"(a+)+b": "match"}
    for pattern, how in slow.items():
        assert _first_slow(re.compile(pattern), how)


def _slow(each):
    methods = USED[each.name][0] if each.name in USED else each.methods
    return next((f"{how} {why}" for how in methods if (why := _first_slow(each.pattern, how))), None)


def _first_slow(pattern, how):
    """The first text for which *pattern* is slow, as the head, the unit and the tail that it is made of."""
    return next((case for case in hard(pattern) if not _is_linear(pattern, how, case)), None)


def _is_linear(pattern, how, case):
    for size in SIZES:
        if _cost(pattern, how, case, size) > SHORT and _cost(pattern, how, case, size, trials=3) > SHORT:
            break
    else:
        return True
    if size < SIZES[-1]:
        return False
    for _ in range(3):
        small, large = (_cost(pattern, how, case, SIZES[-1] * times, trials=3) for times in (1, 2))
        if large < LINEAR * small:
            return True
    return False


class _TooLong(Exception):
    pass


def _cost(pattern, how, case, size, trials=1):
    """The least processor time of some trials; what takes too long is stopped."""
    head, unit, tail = case
    text = head + unit * (size // len(unit) + 1) + tail
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    return min(_seconds(pattern, how, text) for _ in range(trials))


def _seconds(pattern, how, text):
    def stop(*_):
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
    started = time.thread_time()
    try:
        if how in (*ANCHORED, "search"):
            getattr(pattern, how)(text)
        else:
            for _ in pattern.finditer(text):
                pass
    except _TooLong:
        return MOST * (1 + len(text) / 1e3)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.thread_time() - started
