"""`svc-nb` on the command line: translate files, keep glossaries in step, see usage, and find out what is wrong.

Exit codes: 0 all is well, 1 something failed (or `lint` and `diff` found something), 2 it was called wrongly,
130 it was interrupted (143 by SIGTERM, 129 by SIGHUP).
"""

from svc_nb.cli.command import main

__all__ = ["main"]
