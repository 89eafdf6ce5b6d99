"""`python -m tools.fuzz`: processes that share the work import `run`, which they could not from here."""

import sys

from tools.fuzz.run import main

if __name__ == "__main__":
    sys.exit(main())
