"""Styles to try things on: hostile texts, and strategies that draw right and wrong lists."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from svc_nb.language_codes import SOURCES
from svc_nb.style_rules.catalogue import STYLE_LANGUAGES, offers
from svc_nb.style_rules.style import Style
from svc_nb.wire.models import CustomInstruction

HOSTILE = [
    "<script>alert(1)</script>",
    "{0} {name!r}",
    "%s %(x)d",
    "$x$",
    "=1+1",
    "'=1+1",
    "''@SUM(A1)",
    "\tcell",
    "\rcell",
    "two\nlines\r\nthree\rfour",
    '"quoted", and; "more"',
    "../../etc/passwd",
    "\u202eשלום",
    "👩‍👩‍👧",
    " spaces ",
    "_x000D_",
    "NA",
    "nan",
    "007",
    "TRUE",
    "\ufeffmarked",
]
RULES = {
    "dates_and_times": {"calendar_era": "use_bc_and_ad"},
    "punctuation": {"serial_comma": "use"},
}

TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))
CHOICES = [
    (category, rule, option)
    for category, rules in offers().items()
    for rule, options in rules.items()
    for option in options
]


def mapping(choices):
    """Category to rule to option; of a rule that was drawn twice, the last."""
    rules: dict[str, dict[str, str]] = {}
    for category, rule, option in choices:
        rules.setdefault(category, {})[rule] = option
    return rules


def instructions(text=TEXT, *, ids, languages):
    return st.lists(st.builds(CustomInstruction, text, text, languages, ids), max_size=5)


MOMENTS = st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)


def styles(text=TEXT):
    """Anything that a Style can hold, wrong or right."""
    gaps = st.none() | text
    return st.builds(
        Style,
        st.lists(st.tuples(text, text, text), max_size=5).map(mapping),
        instructions(text, ids=gaps, languages=gaps),
        name=gaps,
        language=gaps,
        style_id=gaps,
        version=st.none() | st.integers(0, 10**6),
        creation_time=MOMENTS,
        updated_time=MOMENTS,
    )


def right_styles():
    """Lists that the service takes as they are."""
    said = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=20))
    written = st.sampled_from(sorted(SOURCES)) | st.sampled_from(["DE", " en ", "FR"])
    return st.builds(
        Style,
        st.lists(st.sampled_from(CHOICES), max_size=6).map(mapping),
        instructions(said, ids=st.none(), languages=st.none() | written),
        name=st.text(min_size=1, max_size=20).filter(str.strip),
        language=st.sampled_from(STYLE_LANGUAGES),
    )
