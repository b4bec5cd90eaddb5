"""Prints the exact versions of what is installed here, as pip's constraints for the environments of the tests."""

import re
import sys
from importlib import metadata

# The package itself; what makes environments is not the project's.
OURS = {"svc-nb", "pip", "setuptools", "wheel"}


def normal(name: str) -> str:
    """The name as an index has it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    found = {normal(each.name): each.version.partition("+")[0] for each in metadata.distributions()}
    python = ".".join(map(str, sys.version_info[:2]))
    print(f"# Made by `make lock` with Python {python}: versions that passed the tests together.")
    for name in sorted(found.keys() - OURS):
        print(f"{name}=={found[name]}")
