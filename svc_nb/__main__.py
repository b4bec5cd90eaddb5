"""`python -m svc_nb`: the same as `svc-nb`."""

import sys

from svc_nb.cli import main

if __name__ == "__main__":
    sys.exit(main())
