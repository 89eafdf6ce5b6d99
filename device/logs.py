"""Configures logging to standard error for services."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path


def log_to_stderr(verbose: bool = False) -> None:
    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")


def place(error: BaseException) -> str:
    """Return where an error was raised, for logs: its message may be secret (law 5)."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
