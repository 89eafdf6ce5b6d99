"""The gateway of the pages at a whole table: `python -m tools.bench.bench_gateway [--json]`.

`referee run` and `referee pages` serve four phones, one for each seat, and the table's page, on loopback. Phones tap in
turn. Aims: 95 of 100 taps are shown on the phone's own page within 150 ms, on the others' within 400 ms, of which 250
are the grid; the gateway's processes take 60 MiB together.

Memory is what the processes share counted once (PSS), and once more as if nothing else ran on the machine: there no
other program has a part in the interpreter's pages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp

from engine.table import SEATS
from extensions.phones.tests.whole import Page, Whole, code_of, opened, whole

TAPS = 60
READ_S = 1.2
"""Between two taps: nobody taps what they have not read, and the grid is not to stand still by our own beat."""

SHOWN_S = 2.0
"""What has not come by then is counted as if it came then."""


def measure() -> dict[str, Any]:
    """Takes some ninety seconds."""
    with tempfile.TemporaryDirectory(prefix="table-referee-") as folder, whole(Path(folder)) as made:
        return asyncio.run(_play(made))


async def _play(made: Whole) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, AsyncExitStack() as open_pages:
        table = await open_pages.enter_async_context(opened(session, made.page_of("table")))
        await table.until(lambda page: page.sheet.get("codes"))
        phones = {}
        for number, seat in enumerate(SEATS):
            phones[seat] = await open_pages.enter_async_context(opened(session, made.page_of(seat)))
            await phones[seat].say(join=code_of(table, seat), key=f"{number}" * 32)
            await phones[seat].until(lambda page: page.sheet)
            await phones[seat].say(name=f"Player {number}")
        own, others = await _time_taps(phones, table)
        return {
            "taps": len(own),
            "own_page_p95_ms": _p95(own),
            "own_page_median_ms": _p95(own, 0.5),
            "others_pages_p95_ms": _p95(others),
            "others_pages_median_ms": _p95(others, 0.5),
            **memory(made.pages.pid),
        }


async def _time_taps(phones: dict[str, Page], table: Page) -> tuple[list[float], list[float]]:
    """Seconds from each tap to the first change of its own page, and of every other."""
    own, others = [], []
    for number in range(TAPS):
        await asyncio.sleep(READ_S + 0.037 * (number % 7))
        phone = phones[SEATS[number % len(SEATS)]]
        answers, began = phone.sheet["answers"], time.monotonic()
        await phone.tap(-1 if answers["back"] and number % 3 == 2 else 0)
        pages = [page for page in (*phones.values(), table) if page is not phone]
        own.append(await _wait_shown(phone, began))
        others += [await _wait_shown(page, began) for page in pages]
    return own, others


async def _wait_shown(page: Page, began: float) -> float:
    while time.monotonic() < began + SHOWN_S:
        came = next((at for at in page.at if at > began), None)
        if came is not None:
            return came - began
        await asyncio.sleep(0.002)
    return SHOWN_S


def _p95(times: list[float], share: float = 0.95) -> float:
    """Milliseconds within which that share of them lay."""
    return round(1000 * sorted(times)[min(int(share * len(times)), len(times) - 1)], 1)


def memory(keeper: int) -> dict[str, float]:
    """Of a process and its children, in MiB."""
    processes = [keeper, *_children(keeper)]
    private, shared, divided = 0, defaultdict[str, int](int), 0
    for pid in processes:
        for name, sizes in _mappings(pid):
            divided += sizes["Pss"]
            private += sizes["Private_Clean"] + sizes["Private_Dirty"]
            shared[name] = max(shared[name], sizes["Shared_Clean"] + sizes["Shared_Dirty"])
    return {
        "processes": len(processes),
        "pss_mib": round(divided / 1024, 1),
        "pss_alone_mib": round((private + sum(shared.values())) / 1024, 1),
    }


def _children(parent: int) -> list[int]:
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    return [int(each) for each in found]


def _mappings(pid: int) -> list[tuple[str, dict[str, int]]]:
    """Every mapping of a process by its place, with its sizes in KiB (proc_pid_smaps(5))."""
    found: list[tuple[str, dict[str, int]]] = []
    for line in Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(":")
        if "-" in key.split(" ")[0]:
            found.append((line.split()[0] + line.split()[-1], defaultdict(int)))
        elif rest.endswith(" kB"):
            found[-1][1][key] = int(rest.split()[0])
    return found


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
