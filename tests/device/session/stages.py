"""Stages of matches of every game, as sessions: what pages are made of, without a finger on a button."""

from __future__ import annotations

from functools import cache
from random import Random

import msgspec

from device import games
from device.session.match_start import power_on
from device.session.matches import begin_match, record
from device.session.messages import Joined
from device.session.state import Play, Session, Setup, SetupPage
from device.session.step import step
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.entry import Act, Entry, Settle, Start
from engine.game import OptionValue
from engine.grammar import wander
from engine.table import Seat

GAMES = tuple(games.specs())
SEATS: tuple[Seat, ...] = ("a", "b")
CLOCK: dict[str, OptionValue] = {"kind": "chess", "seconds": 600, "increment": 5}


@cache
def table() -> Table:
    """A table of phones that has every game and every mat, and neither panels nor a camera."""
    known = {name: KnownGame(spec, *games.build(spec)) for name, spec in games.specs().items()}
    mats = {laid.mat for each in known.values() for laid in each.spec.tables if laid.mat}
    return Table((), known, pages=True, screen=True, mats=games.mats(sorted(mats)))


@cache
def entries(game: str, seed: int, count: int) -> tuple[Entry, ...]:
    """A match of that many drawn actions, each carried out at once; fewer if it ends before."""
    known, rng = table().games[game], Random(f"{game}/{seed}")
    start = Start(0.0, game, dict(complete(known.spec.options, known.spec.random_play)), SEATS, seed, CLOCK)
    play, found = begin_match(known, start, 0.0), list[Entry]([start])
    for number in range(count):
        actors = sorted(known.game.actors(play.match.state))
        if play.match.result is not None or not actors:
            break
        seat = rng.choice(actors)
        act = Act(number + 1.0, seat, wander(known.game, play.match.state, seat, rng.randrange))
        play = record(play, (act,))
        found.append(act)
        if play.match.pending is not None:
            settle = Settle(number + 1.5, act.source)
            play = record(play, (settle,))
            found.append(settle)
    return tuple(found)


def session(given: tuple[Entry, ...]) -> Session:
    """The session in which these are the entries of the match, its time runs, and everybody holds a phone."""
    found, _ = power_on(table(), given, seed=1, lots=2, now=0.0)
    assert isinstance(found.stage, Play)
    return joined(msgspec.structs.replace(found, stage=msgspec.structs.replace(found.stage, epoch=0.0)))


def joined(found: Session) -> Session:
    for seat in SEATS:
        found, _ = step(table(), found, Joined(seat, found.now))
    return found


def set_up(page: SetupPage, game: str) -> Session:
    """The session that asks this page of the set-up of a game."""
    options = dict(complete(table().games[game].spec.options, {}))
    stage = Setup(page, game, SEATS, options, {"kind": "none"}, trail=(Setup(SetupPage.GAME),))
    return joined(Session(stage, 0.0, 1, "en"))


@cache
def stages(game: str) -> tuple[tuple[str, Session], ...]:
    """Some moments of an evening with that game, by name."""
    return (
        ("rules", set_up(SetupPage.OPTIONS, game)),
        ("check", set_up(SetupPage.CHECK, game)),
        *((f"after {count} actions", session(entries(game, 1, count))) for count in (0, 3, 12)),
        ("end", session(entries(game, 1, 3000))),
    )
