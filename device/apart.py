"""Runs `referee` in a process of its own, on what a match leaves of the machine."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import IO

import msgspec

IDLY = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); from device.cli import main; main()"
"""Python that runs `referee` so. The service may not ask for nice(2), but for this policy (sched(7))."""


class Ended(msgspec.Struct, frozen=True):
    """How it ended. code: its exit code, negative: the signal that killed it. out: its standard output."""

    code: int
    out: bytes


async def ended(*words: str, stdin: IO[bytes] | None = None, before: str = "") -> Ended:
    """What comes of `referee` with these words; its process ends with whoever waits for it. Raises OSError if it cannot
    be started. stdin: the file that it reads as its standard input; None: nothing. before: Python to run first."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", before + IDLY, *words,
        stdin=stdin or asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, process_group=0,
    )  # fmt: skip
    try:
        out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    assert process.returncode is not None
    return Ended(process.returncode, out)


async def answer(*words: str, stdin: IO[bytes] | None = None) -> bytes:
    """What `referee` says. Raises OSError if it fails; the rest as of `ended`."""
    found = await ended(*words, stdin=stdin)
    if found.code:
        raise OSError(f"`referee {words[0]}` ended with {found.code}")
    return found.out
