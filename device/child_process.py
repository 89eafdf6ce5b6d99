"""Runs `referee` in a process of its own: on what a match leaves of the machine, or as whoever waits for it says."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

import msgspec

IDLY = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); from device.cli import main; main()"
"""Python that runs `referee` so. The service may not ask for nice(2), but for this policy (sched(7))."""


class ProcessResult(msgspec.Struct, frozen=True):
    """How it ended. code: its exit code, negative: the signal that killed it. out: its standard output; errors: its
    standard error, if that was kept."""

    code: int
    out: bytes
    errors: bytes = b""


async def run_until_end(*words: str, script: str | None = None, keep_errors: bool = False) -> ProcessResult:
    """Run `referee` with these words in a process that ends with its caller, and return the result. script: Python
    that runs it; None: at idle priority. keep_errors: its standard error is not ours. Raises OSError if it cannot be
    started."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script or IDLY, *words,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE if keep_errors else None, process_group=0,
    )  # fmt: skip
    try:
        out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    assert process.returncode is not None
    return ProcessResult(process.returncode, out, errors or b"")


async def answer(*words: str) -> bytes:
    """Return what `referee` prints. Raises OSError if it fails; the rest as of `run_until_end`."""
    found = await run_until_end(*words)
    if found.code:
        raise OSError(f"`referee {words[0]}` ended with {found.code}")
    return found.out
