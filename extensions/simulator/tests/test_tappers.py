"""Matches by phone alone: players who know the rules tap what they mean; one who knows nothing reads only the page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from device import games
from device.daemon import assembly
from device.locale import LANGUAGES, NAMES, translate
from engine.match import replay
from engine.text import Text, many, say
from referee_simulator.harness.plan import PHONE, Eyes, Plan, PlannedMatch, matches_of, panels_of, with_phones
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.pressers import Habits
from referee_simulator.players.tappers import Tappers
from referee_simulator.players.world import Arrive, Course, Pause, Touch
from tests.pairing import paired

SHORT = Habits(fidget_rate=0.3, longest=8)
SEATS = ("a", "b")
AWHILE = 30
"""Taps after which whoever only reads gives up, if the match is not over by then."""


def planned_match(game: str, seed: int) -> PlannedMatch:
    (planned,) = matches_of(Plan(game, 1, seed, seats=2, eyes=Eyes.NONE, panels=PHONE), Path())
    return planned


def world_of(folder: Path, planned: PlannedMatch) -> Timed:
    settings = panels_of(planned.seats, PHONE, folder)
    rules = with_phones(assembly.session_table(settings))
    return Timed(settings, seed=planned.seed, rules=rules, drawn=False)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "game", [game if game == "runes" else pytest.param(game, marks=pytest.mark.soak) for game in sorted(games.specs())]
)
def test_every_game_can_be_played_with_phones_alone(tmp_path: Path, game: str) -> None:
    planned = planned_match(game, 3)

    async def play() -> Tappers:
        world = world_of(tmp_path, planned)
        known = assembly.session_table(panels_of(2, PHONE, tmp_path)).games[game]
        tappers = Tappers(world, known, 2, planned.seed, SHORT, language="ru")
        await world.run(tappers.whole_match(planned.options))
        return tappers

    tappers = asyncio.run(play())
    assert tappers.tally.stuck == 0, tappers.tally.notes
    assert tappers.tally.worth["right"] == tappers.tally.actions > 0


class Reader:
    """Somebody at two phones who knows neither rules nor words of the program, but for a few sentences in the table's
    language: reads the JSON that pages get, and taps a line."""

    def __init__(self, world: Timed, game: str, language: str) -> None:
        self._world, self._language = world, language
        self._rng = Random(f"{game}/{language}")
        self._title = self._said(Text(games.spec(game).title))
        self.taps = 0

    def whole_match(self) -> Course:
        for seat in SEATS:
            yield Arrive(seat)
        while not self._page("a")["status"]:
            assert self.taps < AWHILE, self._page("b")
            yield from self._set_up()
        self.taps = 0
        while (page := self._page("a"))["status"] != self._said(say("The match is over.")):
            assert self.taps < 3 * AWHILE, page
            yield from self._give_up() if self.taps > AWHILE else self._turn()

    def _set_up(self) -> Course:
        lines = self._page("b")["answers"]["lines"]
        two = self._said(many("1 player", "{count} players", 2))
        known = (NAMES[self._language], self._title, two, self._said(say("Continue")), self._said(say("Start")))
        yield from self._tap("b", next((text for text in known if text in lines), lines[0]))

    def _turn(self) -> Course:
        """Whoever has something to answer; a page that asks for more words is read on."""
        asked = [seat for seat in SEATS if self._page(seat)["answers"]["lines"]]
        assert asked, [self._page(seat) for seat in SEATS]
        seat = self._rng.choice(asked)
        lines = self._page(seat)["answers"]["lines"]
        yes = self._said(say("Yes"))
        yield from self._tap(seat, yes if yes in lines else self._rng.choice(lines))

    def _give_up(self) -> Course:
        for seat in SEATS:
            if self._said(say("Resign")) in self._page(seat)["menu"]["lines"]:
                yield from self._tap(seat, self._said(say("Resign")), menu=True)
                no = self._said(say("No"))
                lines = self._page(seat)["answers"]["lines"]
                if no in lines:
                    yield from self._tap(seat, next(line for line in lines if line != no))

    def _page(self, seat: str) -> dict[str, Any]:
        return self._world.page(seat, self._language)

    def _said(self, text: Text) -> str:
        return translate(text, self._language)

    def _tap(self, seat: str, text: str, *, menu: bool = False) -> Course:
        yield Pause(0.6)
        found = self._page(seat)["menu" if menu else "answers"]
        self.taps += 1
        yield Touch(seat, found["serial"], found["lines"].index(text), menu)


@pytest.mark.quick(1)
@pytest.mark.timeout(240)
@pytest.mark.parametrize(("game", "language"), paired(sorted(games.specs()), LANGUAGES))
def test_whoever_reads_only_the_text_of_the_page_plays_a_match(tmp_path: Path, game: str, language: str) -> None:
    world = world_of(tmp_path, planned_match(game, 3))
    found: list[Any] = []

    def course(reader: Reader) -> Course:
        yield from reader.whole_match()
        found.extend(world.entries())

    asyncio.run(world.run(course(Reader(world, game, language))))
    known = assembly.session_table(panels_of(2, PHONE, tmp_path)).games[game]
    match = replay(known.playing(found[0]).game, found)
    assert match.result is not None
    assert match.start.game == game
