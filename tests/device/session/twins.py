"""Law 5 on every page, as data: sessions that differ only in what an audience must not know give it the same bytes.

`python -m tests.device.session.twins --pairs 100000 --json` compares so many pairs; `--planted` plants the leaks of
`leaks.py` into the sheet, one after another, and says which of them such a comparison finds. Exits with 1 if a pair
differs, or a planted leak is not found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import msgspec

from device.locale import LANGUAGES
from device.screens.page_view import Wire, wire
from device.session.aim import Aim, Offer, TapList, TapLists
from device.session.matches import begin_match, record
from device.session.page_views import sheet
from device.session.state import LogEvent, MenuState, PanelMode, Play, Session, SharedPanel, page_of
from device.session.table import KnownGame
from engine.arbiter import Question
from engine.catalogue import complete
from engine.entry import Act, Settle, Source, Start
from engine.errors import Refusal
from engine.grammar import wander
from engine.match import reveals
from engine.table import Seat
from engine.text import Text
from tests.device.session.stages import CLOCK, SEATS, table
from tests.engine.fence import twins as fence
from tests.engine.planetx import twins as planetx
from tests.engine.runes import twins as runes
from tests.engine.test_tellstones_conformance import Tellstones

replace = msgspec.structs.replace
Twin = Callable[[Random, Any, "Seat | None"], Any]
GAMES: dict[str, tuple[Twin, dict[str, str | int | bool]]] = {
    "tellstones": (lambda rng, state, seat: Tellstones().twin(rng, state, seat), {}),
    "planetx": (planetx.twin, {"level": "youth", "marks": True}),
    "fence": (fence.twin, {"mode": "basic"}),
    "runes": (runes.twin, {"decision": "at-reveal"}),  # so that every turn has secret choices
}
AUDIENCES: tuple[Seat | None, ...] = ("a", "b", "c", None)
"""Who plays, who has a phone and does not play, and the table's own page."""

OWN_TRIES = 8
"""So many pairs are drawn until one differs for the seat."""

MATCHES = 6
LONGEST = 40
Shown = Callable[[Session, "Seat | None", str], Wire]


class Pair(NamedTuple):
    """Two sessions, and who must not tell them apart. differ: they do differ for somebody else."""

    left: Session
    right: Session
    audience: Seat | None
    language: str


@cache
def plays(game: str) -> tuple[Play, ...]:
    """Moments of random matches, none of which is over."""
    known, found = table().games[game], list[Play]()
    for seed in range(MATCHES):
        rng = Random(f"{game}/{seed}/twins")
        options = dict(complete(known.spec.options, GAMES[game][1]))
        play = begin_match(known, Start(0.0, game, options, SEATS, seed, CLOCK), 0.0)
        for number in range(LONGEST):
            found.append(play)
            given = _acted(known, play, rng, float(number + 1))
            if given is None or given.match.result is not None:
                break
            play = given
            if play.match.pending is not None:
                play = record(play, (Settle(number + 1.5, Source.BUTTONS),))
    return tuple(found)


def _acted(known: KnownGame, play: Play, rng: Random, at: float) -> Play | None:
    actors = sorted(known.game.actors(play.match.state))
    if not actors:
        return None
    seat = rng.choice(actors)
    return record(play, (Act(at, seat, wander(known.game, play.match.state, seat, rng.randrange)),))


def pairs(seed: str, game: str) -> Iterator[Pair]:
    """Without end."""
    known, rng = table().games[game], Random(f"{seed}/{game}")
    while True:
        for _ in range(60):
            play, audience = rng.choice(plays(game)), rng.choice(AUDIENCES)
            seat = audience if audience in SEATS else None
            other = GAMES[game][0](rng, play.match.state, seat)
            if other != play.match.state:
                break
        twin = replace(play, match=replace(play.match, state=other))
        if rng.random() < 0.5:
            ordered = _ordered(known, rng, play, twin)
            if ordered is None:
                continue
            play, twin = ordered
        shared = Random(rng.random())
        common = _asked(shared, seat)
        alike = TapLists(TapList(rng.randrange(1, 9)), TapList(rng.randrange(1, 9)))
        left, right = (_secretly(rng, common(each, rng), audience, alike) for each in (play, twin))
        yield Pair(left, right, audience, rng.choice(LANGUAGES))


class Own(NamedTuple):
    """Two tables at which the same happens in public: before and after an action of a seat, which alone sees whether
    they differ, in what it did or learnt. In Tellstones and Fence a page tells no seat more than the others, so there
    they do not; what may differ is where the seat leafs."""

    before: tuple[Session, Session]
    after: tuple[Session, Session]
    seat: Seat


def owned(seed: str, game: str) -> Iterator[Own]:
    """Without end."""
    known, rng = table().games[game], Random(f"{seed}/{game}/own")
    tries = 0
    while True:
        play = rng.choice(plays(game))
        actors = sorted(known.game.actors(play.match.state))
        if not actors:
            continue
        seat, other = rng.choice(actors), GAMES[game][0](rng, play.match.state, None)
        both = [play, replace(play, match=replace(play.match, state=other))]
        words = wander(known.game, play.match.state, seat, rng.randrange)
        same = rng.random() < 0.5  # but its answer may be another
        acts = [words, words if same else wander(known.game, other, seat, rng.randrange)]
        try:
            done = [record(each, (Act(play.match.at + 0.5, seat, act),)) for each, act in zip(both, acts, strict=True)]
        except (Refusal, AssertionError):
            continue
        before, after = ((_seen(left), _seen(right)) for left, right in (both, done))
        if any(each.match.result is not None for each in done) or not _alike(before, None) or not _alike(after, None):
            continue
        tries += 1
        if not _alike(after, seat) or tries >= OWN_TRIES:
            tries = 0
            yield Own(before, after, seat)


def _seen(play: Play) -> Session:
    return Session(play, play.match.at + 0.5, 1, "en", phones=frozenset(SEATS))


def _alike(both: tuple[Session, ...], audience: Seat | None) -> bool:
    left, right = (shown(each, audience, "en") for each in both)
    return left == right


def _ordered(known: KnownGame, rng: Random, play: Play, twin: Play) -> tuple[Play, Play] | None:
    """The same order in both, if it is legal in both and tells nothing before a hand carried it out."""
    state = play.match.state
    actors = sorted(known.game.actors(state))
    if not actors:
        return None
    seat = rng.choice(actors)
    words = wander(known.game, state, seat, rng.randrange)
    for _ in range(4):  # the more of them turn a hidden piece up, the better
        if known.game.trace(state, seat, known.game.read(state, seat, words)).turned:
            break
        words = wander(known.game, state, seat, rng.randrange)
    act = Act(play.match.at + 0.5, seat, words)
    found = list[Play]()
    for each in (play, twin):
        try:
            _, events = known.game.apply(each.match.state, seat, known.game.read(each.match.state, seat, act.words))
            after = record(each, (act,))
        except (Refusal, AssertionError):
            return None
        if any(event.reveals for event in events) and not reveals(after.match.pending):
            return None
        found.append(after)
    return found[0], found[1]


def _asked(shared: Random, seat: Seat | None) -> Callable[[Play, Random], Play]:
    """What happens to both alike, but for its secret words: somebody else is asked; an order is told to them alone."""
    others = [other for other in SEATS if other != seat]
    asked, ordered, other = shared.random() < 0.2, shared.random() < 0.5, shared.choice(others)

    def put(play: Play, rng: Random) -> Play:
        if asked:
            question = Question(other, ((),), missing=_secret(rng))
            play = replace(play, case=replace(play.case, question=question))
        if ordered and play.match.pending is not None:
            play = replace(play, order=(LogEvent(play.match.at, _secret(rng), frozenset({other})),))
        return play

    return put


def _secretly(rng: Random, play: Play, audience: Seat | None, alike: TapLists) -> Session:
    """A session with secrets of everybody else: what they were told, what they are busy with, what they may tap."""
    others = tuple(seat for seat in SEATS if seat != audience)
    told, points = list(play.told), list(play.points)
    for _ in range(rng.randrange(3)):
        place = rng.randrange(len(told) + 1)
        told.insert(place, LogEvent(play.match.at, _secret(rng), frozenset({rng.choice(others)})))
        points = [point + (point > place) for point in points]
    desks = {}
    for seat in others:
        desks[seat] = MenuState(
            rng.choice(tuple(PanelMode)),
            words=rng.choice(((), (str(rng.random()),))),  # what may be touched next is empty after an unknown word
            path=(_secret(rng),),
            alert=_secret(rng),
        )
        desks[page_of(seat)] = replace(desks[seat], mode=rng.choice((PanelMode.VIEW, PanelMode.RESIGN)))
    lists = {seat: TapLists(TapList(rng.randrange(99)), TapList(rng.randrange(99))) for seat in others}
    aims = {seat: Aim(Offer((_secret(rng),)), rng.random()) for seat in others}
    play = replace(play, epoch=0.0, told=tuple(told), points=tuple(points), desks=desks)
    play = replace(play, shared=SharedPanel(others[0], news=(_secret(rng),)))
    if audience is not None:
        lists[audience] = alike
    now = play.match.at + rng.random()
    return Session(play, now, rng.getrandbits(30), "en", phones=frozenset(("a", "b", "c")), lists=lists, aims=aims)


def _secret(rng: Random) -> Text:
    return Text(f"secret {rng.getrandbits(30)}")


def shown(session: Session, audience: Seat | None, language: str) -> Wire:
    """What the page of an audience is given."""
    return wire(sheet(table(), session, audience), language)


def differs(pair: Pair, of: Shown = shown) -> bool:
    """True if the audience gets other bytes."""
    left, right = (
        msgspec.json.encode(of(each, pair.audience, pair.language), order="deterministic")
        for each in (pair.left, pair.right)
    )
    return left != right


def compared(seed: str, count: int, of: Shown = shown) -> Iterator[tuple[str, Pair, bool]]:
    """So many pairs, game by game in turn, and whether each differs where it must not."""
    streams = {game: pairs(seed, game) for game in GAMES}
    for number in range(count):
        game = tuple(GAMES)[number % len(GAMES)]
        pair = next(streams[game])
        yield game, pair, differs(pair, of)


def main() -> int:
    from tests.device.session.leaks import LEAKS, planted

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--planted", action="store_true", help="plant leaks, and look for each in at most --pairs pairs"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    begun_at = time.monotonic()
    if given.planted:
        found = {
            name: next(
                (n for n, (*_, bad) in enumerate(compared(given.seed, given.pairs, planted(leak)), 1) if bad), None
            )
            for name, leak in LEAKS.items()
        }
        missed = [name for name, number in found.items() if number is None]
        result: dict[str, Any] = {"planted": len(LEAKS), "found": len(LEAKS) - len(missed), "at_pair": found}
        wrong = bool(missed)
    else:
        games, bad = dict.fromkeys(GAMES, 0), list[str]()
        for game, pair, differ in compared(given.seed, given.pairs):
            games[game] += 1
            if differ:
                bad.append(f"{game}: {pair.audience or 'table'}")
        result = {"pairs": given.pairs, "differences": len(bad), "games": games, "notes": bad[:20]}
        wrong = bool(bad)
    result["seconds"] = round(time.monotonic() - begun_at, 1)
    text = msgspec.json.encode(result)
    print((text if given.json else msgspec.json.format(text, indent=2)).decode())
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
