"""How to install what an extra of svc_nb brings: by the packages' own names, which also works from a checkout."""

import re
from importlib import metadata


def install(extra: str, *newer: str) -> str:
    """The command that installs the packages of *extra*; *newer* are requirements that go beyond svc_nb's own.

    >>> install("duckdb"), install("polars", "polars>=1.42")
    ("pip install 'duckdb>=1.2' 'pyarrow>=16'", "pip install 'polars>=1.42' 'pyarrow>=16'")
    """
    try:
        known = metadata.requires("svc-nb") or []
    except metadata.PackageNotFoundError:  # run from its folder, without being installed
        known = []
    own = [each.partition(";")[0].strip() for each in known if re.search(rf"extra == .{extra}.$", each)]
    needed = {_package(each): each for each in own or [f"svc-nb[{extra}]"]}
    for each in newer:
        brackets = re.search(r"\[.*\]", needed.get(_package(each), ""))
        needed[_package(each)] = each.replace(">=", f"{brackets[0]}>=") if brackets else each
    return f"pip install {' '.join(map(repr, needed.values()))}"


def _package(requirement: str) -> str:
    return re.split(r"[\[<>=! ]", requirement)[0]
