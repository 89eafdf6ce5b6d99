"""Whether one seat's taps show in the timing of another's answers: `python -m tools.bench.bench_timing [--json]`.

`referee run` and `referee pages` serve two phones on loopback. One asks for an answer again and again, and sees how
late after its place of the grid of time each comes; the other taps through its lists for a while, then rests, in turn.
`told_apart` is how often an answer from a busy while is later than one from a quiet while (the area under the ROC
curve): 0.5 tells nothing, 1.0 everything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp

from extensions.phones.tests.whole import Page, Whole, code_of, opened, whole
from referee_phones.daemon.links import OWN_S
from referee_phones.frames import HELD_S

WHILES, WHILE_S = 20, 3.0
ASKS_S = 0.21
"""Between two questions: fewer than a seat may ask, and not in step with the grid."""

TAPS_S = 0.23


def measure() -> dict[str, Any]:
    """Takes some seventy seconds."""
    with tempfile.TemporaryDirectory(prefix="table-referee-") as folder, whole(Path(folder)) as made:
        return asyncio.run(_watch(made))


async def _watch(made: Whole) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, AsyncExitStack() as open_pages:
        table = await open_pages.enter_async_context(opened(session, made.page_of("table")))
        await table.until(lambda page: page.sheet.get("codes"))
        phones = []
        for number, seat in enumerate("ab"):
            phone = await open_pages.enter_async_context(opened(session, made.page_of(seat)))
            await phone.say(join=code_of(table, seat), key=f"{number}" * 32)
            await phone.until(lambda page: page.sheet)
            phones.append(phone)
        late: dict[bool, list[float]] = {False: [], True: []}
        for number in range(WHILES):
            busy = bool(number % 2)
            tapping = asyncio.ensure_future(_tap_through(phones[1])) if busy else None
            late[busy] += await _time_answers(phones[0])
            if tapping is not None:
                tapping.cancel()
        return {
            "answers": sum(map(len, late.values())),
            "late_quiet_median_ms": round(1000 * median(late[False]), 2),
            "late_busy_median_ms": round(1000 * median(late[True]), 2),
            "told_apart": round(_later(late[False], late[True]), 3),
        }


async def _time_answers(phone: Page) -> list[float]:
    """Seconds by which answers came after their place of the grid."""
    found, until = [], time.monotonic() + WHILE_S
    while time.monotonic() < until:
        before = len(phone.told)
        await phone.say(tap={"serial": 0, "line": 0, "menu": False})
        while len(phone.told) == before:
            await asyncio.sleep(0.0002)
        found.append((time.monotonic() - HELD_S) % OWN_S)
        await asyncio.sleep(ASKS_S)
    return found


async def _tap_through(phone: Page) -> None:
    """Through its lists, forwards and back."""
    while True:
        answers = phone.sheet["answers"]
        await phone.tap(-1 if answers["back"] else 0)
        await asyncio.sleep(TAPS_S)


def _later(quiet: list[float], busy: list[float]) -> float:
    """How often one of these is later than one of those; equal ones count half."""
    low = sorted(quiet)
    ranks = sum(bisect_left(low, each) + bisect_right(low, each) for each in busy)
    return ranks / (2 * len(low) * len(busy))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    as_json, figures = parser.parse_args().json, measure()
    if as_json:
        print(json.dumps(figures))
    for key, value in () if as_json else figures.items():
        print(f"{key:32} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
