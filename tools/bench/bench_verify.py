"""What it costs to verify a signed record, against replaying the same entries: `python -m tools.bench.bench_verify`.

Of each game matches at random, 200 entries in all at least, in turns, so that both meet the same noise: processor time
an entry in microseconds, and how many replays a verification costs (aim: 2). A replay is what `referee replay` does of
entries that are read: it folds them, and makes everybody's view after each. Verifying begins with the file's bytes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec

from engine.entry import Entry, Start
from engine.match import advance, begin
from referee_record.public_entries import Head, heads
from referee_record.signed_record import encode_record, read
from referee_record.verification import Result, verify
from tools.tampering import GAMES, PROGRAM, Honest, load_game, make_honest

ENTRIES, ROUNDS = 200, 5


def measure() -> dict[str, Any]:
    """Takes some ten seconds."""
    return {name: _of(name) for name in GAMES}


def _of(name: str) -> dict[str, float]:
    found: list[Honest] = []
    while sum(len(each.entries) for each in found) < ENTRIES:
        found.append(make_honest(load_game(name), Random(f"bench/{name}/{len(found)}")))
    count = sum(len(each.entries) for each in found)
    files = [(encode_record(each.record), tuple(heads(each.record.links))) for each in found]
    replays, checks = [], []
    for _ in range(ROUNDS):
        replays.append(_time_work(_replay, name, [each.entries for each in found]))
        checks.append(_time_work(_verify, name, files))
    replay, check = min(replays) / count * 1e6, min(checks) / count * 1e6
    return {
        "entries": count,
        "replay_us": round(replay, 1),
        "verify_us": round(check, 1),
        "replays": round(check / replay, 2),
        "bytes_an_entry": round(sum(len(data) for data, _ in files) / count),
    }


def _replay(name: str, matches: Sequence[tuple[Entry, ...]]) -> None:
    game = load_game(name).game
    for start, *rest in matches:
        assert isinstance(start, Start)
        match = begin(game, start)
        for entry in rest:
            match, _ = advance(game, match, entry)
            msgspec.json.encode(game.view(match.state, None).facts)


def _verify(name: str, files: Sequence[tuple[bytes, tuple[Head, ...]]]) -> None:
    for data, kept in files:
        if verify(read(data), load_game(name), PROGRAM, kept).result is not Result.VERIFIED:
            raise RuntimeError(f"an honest record of {name} is not verified")


def _time_work(work: Callable[..., None], *given: object) -> float:
    begun = time.process_time()
    work(*given)
    return time.process_time() - begun


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
