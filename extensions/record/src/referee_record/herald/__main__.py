"""Runs the herald: `python -m referee_record.herald PLAN` (`herald.Plan` as JSON).

`referee herald` becomes it: without modules for table files and commands it takes half the memory."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress

import msgspec

from device.clock import WallClock
from device.logs import log_to_stderr
from engine.errors import RefereeError
from referee_record.herald import mqtt
from referee_record.herald.herald import Herald, Plan


async def _run(plan: Plan) -> None:
    """Run until SIGTERM or SIGINT. Raises BrokerError for unusable certificate files."""
    context = mqtt.trusting(plan.certificate, plan.key, plan.authority)
    running = asyncio.ensure_future(Herald(plan, context, WallClock()).run())
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    with suppress(asyncio.CancelledError):
        await running


def main(words: list[str]) -> int:
    (written,) = words
    log_to_stderr()
    try:
        asyncio.run(_run(msgspec.json.decode(written, type=Plan)))
    except RefereeError as error:
        sys.stderr.write(f"referee: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
