"""Languages as people give them, turned into the service's codes before a text is sent.

The languages that every service has are known here. For all others the service's list is requested, once per client. If
there is no list, a code is accepted if it is known here or looks like one, and the service decides when it is used.
"""

import re
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from svc_nb.errors import SvcError, UnknownLanguage
from svc_nb.language_codes import as_normal, base_code, is_common, name_of, nearest, normal, tag_of, target_code
from svc_nb.wire.client import Client

CODE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", re.ASCII)
LONGEST_SHOWN = 40
# How long to wait before requesting a missing list again, in seconds.
SILENCE = 60.0


class Listed(NamedTuple):
    """The languages that a service lists: codes in normal form, with names."""

    sources: Mapping[str, str]
    targets: Mapping[str, str]


def listed(client: Client) -> Listed | None:
    """The source and target languages of the service of *client*, including beta; None if it gives no list."""
    found, until = _known.get(client, (None, 0.0))
    if found is None and time.monotonic() >= until:
        try:
            support = client.languages.support("translate_text", include=("beta",), tries=1)
        except SvcError:
            support = []
        usable = [each for each in support if CODE.fullmatch(each.lang)]  # codes become file names
        if usable:
            found = Listed(
                {normal(each.lang): each.name for each in usable if each.usable_as_source},
                {normal(each.lang): each.name for each in usable if each.usable_as_target},
            )
        _known[client] = found, time.monotonic() + SILENCE
    return found


_known: WeakKeyDictionary[Client, tuple[Listed | None, float]] = WeakKeyDictionary()


def target(written: str, client: Client | None = None, *, field: str = "target_lang") -> str:
    """The code of the target language that is meant by a code, a locale or a name; or UnknownLanguage."""
    code = target_code(written)
    if code and is_common(code):
        return code
    known = listed(client) if client else None
    return _among(written, code, known and known.targets, field, "into")


def one_of(written: str, known: Mapping[str, str], *, field: str) -> str:
    """The one of *known*, codes with their names, that is meant by a code, a locale or a name; or UnknownLanguage."""
    return _among(written, target_code(written), known, field, "into")


def source(written: str, client: Client | None = None, *, field: str = "source_lang") -> str:
    """Like `target`, for a source; the variant only decides which texts need no translation (see `sent_source`)."""
    base = base_code(written)
    code = target_code(written) or base
    if code and base and is_common(base):
        return code
    known = listed(client) if client else None
    return _among(written, base, known and known.sources, field, "from")


def sent_source(code: str) -> str:
    """A source language in the form of the service: without a variant.

    >>> sent_source("EN-GB"), sent_source("XE")
    ('EN', 'XE')
    """
    return base_code(code) or code


def meant(written: Any, *, field: str) -> Any:
    """The code that is meant for glossaries, memories and their files, in normal form; None and other values stay.

    Raises UnknownLanguage for text that is neither a language nor the form of a code.

    >>> meant("German", field="source_lang"), meant("PT_br", field="source_lang")
    ('DE', 'PT-BR')
    """
    if not isinstance(written, str) or not written.strip():
        return written
    tag = tag_of(written)
    if tag is None and (not CODE.fullmatch(written.strip()) or nearest(written)):
        raise _unknown(written, None, field, None, "from")
    return as_normal(tag or written)


def _among(written: str, code: str | None, known: Mapping[str, str] | None, field: str, way: str) -> str:
    """The code of *known*, codes with names, that is meant; if *known* is None, anything that may be a code."""
    own = normal(written)
    if known is None:
        found = code or (own if CODE.fullmatch(written.strip()) and not nearest(written) else None)
    else:
        names = {name.casefold(): each for each, name in known.items()}
        found = next((each for each in (code, own, names.get(written.strip().casefold())) if each in known), None)
    if found is None:
        raise _unknown(written, code, field, known, way)
    return found


def _unknown(written: str, code: str | None, field: str, known: Mapping[str, str] | None, way: str) -> UnknownLanguage:
    given = written.strip()[:LONGEST_SHOWN]
    told = (
        f"the service does not translate {way} {name_of(code)} ({code})" if code else f"there is no language {given!r}"
    )
    meant = nearest(written, known, variants=way == "into")
    return UnknownLanguage(f"{field}: {told}", field=field, given=given, meant=[m for m in meant if m != code])
