"""What the ledger records about a run besides its costs: the notebook, columns, tag, service and key."""

import os
import re
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence

from svc_nb.engine.billing import Context
from svc_nb.secret import Secret

STARS = "********"
SHOWN = 4
SHORTEST_KEY = 16
LONGEST_TEXT = 200
# Set by Jupyter's servers in the kernel's environment, and by VS Code among its variables.
SESSION_NAME = "JPY_SESSION_NAME"
VS_CODE_NAME = "__vsc_ipynb_file__"
SEPARATORS = r"[\\/]"
NO_SCRIPT = re.compile(r"|-|-[cm]|.*kernel_launcher\.py|ipython[\d.]*(\.exe)?", re.IGNORECASE)


def context(origin: str, api_key: Secret | None, columns: Iterable[Hashable], tag: str | None) -> Context:
    """The context of a run on *columns* with the service at *origin*; a column without a name is left out."""
    named = [str(name) for name in dict.fromkeys(columns) if name is not None]
    return Context(
        notebook=notebook(),
        columns=_kept(", ".join(named)),
        tag=_kept((tag or "").strip().lower()),  # as the service keeps it
        api_key=masked(api_key) if api_key else None,
        service=origin,
    )


def masked(key: Secret) -> str:
    """The key as the service shows it in reports: its first and last four characters, or none of a short key.

    >>> masked(Secret("0123456789abcdef"))
    '0123********cdef'
    """
    revealed = key.reveal()
    if len(revealed) < SHORTEST_KEY:
        return STARS
    return f"{revealed[:SHOWN]}{STARS}{revealed[-SHOWN:]}"


def notebook(
    *,
    environ: Mapping[str, str] | None = None,
    variables: Mapping[str, object] | None = None,
    arguments: Sequence[str] | None = None,
) -> str | None:
    """The file name of the notebook or script that this process runs, if known.

    *environ*, *variables* (of the notebook) and *arguments* replace the real ones.

    >>> notebook(environ={"JPY_SESSION_NAME": "/home/me/prices.ipynb"})
    'prices.ipynb'
    """
    environ = os.environ if environ is None else environ
    variables = vars(sys.modules["__main__"]) if variables is None else variables
    for found in (environ.get(SESSION_NAME), variables.get(VS_CODE_NAME)):
        if isinstance(found, str) and found:
            return _kept(re.split(SEPARATORS, found)[-1])
    # The script; for a package that is run, its name.
    arguments = sys.argv if arguments is None else arguments
    steps = re.split(SEPARATORS, arguments[0]) if arguments else [""]
    name = steps[-2] if steps[-1] == "__main__.py" and len(steps) > 1 else steps[-1]
    return None if NO_SCRIPT.fullmatch(name) else _kept(name)


def _kept(text: str | None) -> str | None:
    """*text* in a form that any file can hold, not too long; None for an empty text."""
    if not text:
        return None
    whole = text.encode("utf-8", "backslashreplace").decode()
    return whole if len(whole) <= LONGEST_TEXT else f"{whole[: LONGEST_TEXT - 1]}…"
