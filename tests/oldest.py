"""Prints the lowest versions that pyproject.toml allows for what the package itself needs, as pip's constraints."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
used = ("keyring", "neural", "offline", "polars", "dask", "spark", "duckdb")
for requirement in dict.fromkeys([*project["dependencies"], *(each for name in used for each in extras[name])]):
    print(re.sub(r"^([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+).*", r"\1==\2", requirement))
print("pyparsing<3.3")  # newer ones warn when an old matplotlib is imported
