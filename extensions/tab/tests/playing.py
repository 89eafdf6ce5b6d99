"""Plays a match in a tab by random touches: the same with this machine's Python and with a browser's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from device.journal import Archive
from device.session.aim import READING_S
from device.session.state import Play
from engine.match import encode
from referee_tab.table import Tab

MOST_TOUCHES = 150


def record(game: str, players: int, seed: int) -> str:
    """Return the entries that the journal keeps of the match, a line each, and a last line: the match as the tab
    has it then."""
    rng, now = Random(seed), 100.0
    sheets: dict[int, dict[str, Any]] = {}

    def hear(link: int, text: str) -> None:
        sheets.setdefault(link, {}).update(msgspec.json.decode(text).get("sheet", {}))

    with tempfile.TemporaryDirectory() as folder:
        tab = Tab(hear, Path(folder), language="en", seats=players, now=lambda: now, draw=rng.getrandbits)
        for link, seat in enumerate("abcd"[:players]):
            tab.open(link, seat, "en")
        tab.set_up(game, players)
        for _ in range(MOST_TOUCHES):
            now += READING_S
            tab.tick()
            lists = [(link, sheet["answers"]) for link, sheet in sheets.items() if sheet["answers"]["lines"]]
            if not lists or sheets[0]["ending"]:
                break
            link, answers = rng.choice(lists)
            tap = {"serial": answers["serial"], "line": rng.randrange(len(answers["lines"]))}
            tab.hear(link, msgspec.json.encode({"tap": tap}).decode())
        play = tab._core.session.stage
        assert isinstance(play, Play)
        with Archive(Path(folder) / "journal.db") as archive:
            (match,) = archive.matches()
            return b"\n".join([*(row.data for row in archive.rows(match)), encode(play.match)]).decode()
