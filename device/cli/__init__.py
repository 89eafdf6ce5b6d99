"""`referee`: one module for each command. Expected errors are one line and exit code 2; tracebacks mean bugs."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line; never returns. `referee dark NOTE` without the rest of it, which takes a small computer
    long to read in."""
    words = sys.argv[1:]
    if words[:1] == ["dark"] and len(words) == 2 and not words[1].startswith("-"):
        from device.displays.switch_off import switch_off

        sys.exit(1 if switch_off(words[1]) else 0)
    from device.cli.start import start

    start(words)
