"""`python -m tools.lab.mutation`."""

from tools.lab.mutation.run import main

if __name__ == "__main__":
    raise SystemExit(main())
