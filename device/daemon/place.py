"""What a log may say of an error that nobody expected: its type and its place. Its message may be a secret (law 5)."""

from __future__ import annotations

import traceback
from pathlib import Path


def place(error: BaseException) -> str:
    """Where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
