"""Where commands that run on write their log: standard error, to which the journal of systemd adds time and name."""

from __future__ import annotations

import logging


def log_to_stderr(verbose: bool = False) -> None:
    """From here on. verbose: say more."""
    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
