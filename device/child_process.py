"""Runs `referee` in its own process, by default at idle priority."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

import msgspec

IDLY = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); from device.cli import main; main()"
"""Python that runs `referee` under SCHED_IDLE (sched(7)), which the service may set."""


class ProcessResult(msgspec.Struct, frozen=True):
    """A process's result. code: negative for a signal. errors: if kept."""

    code: int
    out: bytes
    errors: bytes = b""


async def run_until_end(*words: str, script: str | None = None, keep_errors: bool = False) -> ProcessResult:
    """Run `referee` with these arguments; kill it if cancelled. script: Python to run; None for idle priority.
    keep_errors: capture standard error. Raises OSError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", script or IDLY, *words,
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
    """Return the output of `referee` with these arguments. Raises OSError if it fails."""
    found = await run_until_end(*words)
    if found.code:
        raise OSError(f"`referee {words[0]}` ended with {found.code}")
    return found.out
