"""Runs `referee`; one module per command. Expected errors print one line and exit with 2."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit. `referee dark NOTE` skips the slow imports."""
    words = sys.argv[1:]
    if words[:1] == ["dark"] and len(words) == 2 and not words[1].startswith("-"):
        from device.displays.switch_off import switch_off

        sys.exit(1 if switch_off(words[1]) else 0)
    from device.cli.start import start

    start(words)
