"""Undoing a wrong tap at once: offered where nobody learned anything, to its seat alone, and only for a moment."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import msgspec
import pytest

from device.session import consent
from device.session.matches import LiveMatch, begin_match, record, view_of
from device.session.messages import Append
from device.session.page_views import sheet
from device.session.state import Play, Session
from engine.catalogue import complete
from engine.entry import Act, Settle, Source, Start, Undo
from engine.errors import Refusal
from engine.grammar import wander
from engine.table import Seat
from engine.view import heard_by
from tests.device.session.stages import CLOCK, SEATS, table
from tests.device.session.twins import AUDIENCES, GAMES

MATCHES, LONGEST, TWINS = 6, 40, 3


@cache
def acts(game: str) -> list[tuple[Play, Act, Play]]:
    """Return the actions of random matches, with the moments before and after each."""
    known, found = table().games[game], list[tuple[Play, Act, Play]]()
    for seed in range(MATCHES):
        rng = Random(f"{game}/{seed}/regret")
        options = dict(complete(known.spec.options, GAMES[game][1]))
        play = begin_match(known, Start(0.0, game, options, SEATS, seed, CLOCK), 0.0)
        for number in range(LONGEST):
            actors = sorted(known.game.actors(play.match.state))
            if not actors or play.match.result is not None:
                break
            seat = rng.choice(actors)
            act = Act(number + 1.0, seat, wander(known.game, play.match.state, seat, rng.randrange))
            after = record(play, (act,))
            found.append((play, act, after))
            play = after
            if play.match.pending is not None:
                play = record(play, (Settle(number + 1.5, Source.CAMERA),))
    return found


def live(play: Play, since: float = 0.0) -> LiveMatch:
    return LiveMatch(table(), Session(play, play.match.at + since, 1, "en", phones=frozenset(SEATS)))


def known_to(play: Play, seat: Seat | None) -> object:
    """Everything that an audience has before its eyes."""
    heard = tuple(told.text for told in play.told if heard_by(told.audience, seat))
    return view_of(play, seat), heard, sheet(table(), live(play).session, seat).board


@pytest.mark.parametrize("game", GAMES)
def test_what_may_be_undone_at_once_taught_nobody_anything(game: str) -> None:
    """Where an audience could not tell two states apart before the action, it cannot do so after it."""
    rng, offered = Random(game), 0
    for before, act, after in acts(game):
        if after.regretted != (act.seat, act.at):
            continue
        offered += 1
        fresh = after.told[len(before.told) :]
        assert not [told for told in fresh if told.reveals]
        for audience in AUDIENCES:
            seat = audience if audience in SEATS else None
            for _ in range(TWINS):
                state = GAMES[game][0](rng, before.match.state, seat)
                twin = msgspec.structs.replace(before, match=msgspec.structs.replace(before.match, state=state))
                try:
                    there = record(twin, (act,))
                except Refusal:
                    assert act.seat != seat, "its legality tells the seat something"
                    continue
                if known_to(before, seat) == known_to(twin, seat):
                    assert known_to(after, seat) == known_to(there, seat), act.words
        undone = record(after, (Undo(after.match.at, act.seat),))
        assert undone.match.state == before.match.state
    assert offered > 0, "nothing may be undone"


@pytest.mark.parametrize("game", GAMES)
def test_it_is_offered_to_its_own_seat_for_a_moment(game: str) -> None:
    for _, _, after in acts(game):
        pages = {seat: sheet(table(), live(after).session, seat).regret for seat in (*SEATS, None)}
        if after.regretted is None:
            assert {*pages.values()} == {None}
            continue
        seat, at = after.regretted  # still that of an action after which another seat acted in secret
        assert pages == {**dict.fromkeys(pages), seat: at + consent.REGRET_S}
        assert not consent.may_regret(live(after, consent.REGRET_S + consent.ON_THE_WAY_S + 0.1), seat)


def test_it_takes_the_action_back_without_asking() -> None:
    before, act, after = next(each for each in acts("tellstones") if each[2].regretted)
    session, effects = consent.regret(live(after), act.seat)
    assert isinstance(session.stage, Play)
    assert session.stage.match.state == before.match.state
    assert session.stage.proposal is None
    assert [type(entry) for each in effects if isinstance(each, Append) for entry in each.entries] == [Undo]


def test_a_choice_without_a_hand_may_be_undone_until_something_follows_from_it() -> None:
    """A challenge or a theory tapped by mistake; a secret choice only while others still choose; never an answer."""
    offered: dict[str, Counter[str]] = {game: Counter() for game in GAMES}
    refused: dict[str, Counter[str]] = {game: Counter() for game in GAMES}
    for game in GAMES:
        for before, act, after in acts(game):
            last = before.known.game.actors(before.match.state) == {act.seat}
            where = offered if after.regretted == (act.seat, act.at) else refused
            where[game][f"{act.words[0]}, last" if last else act.words[0]] += 1
    assert {"challenge, last", "boast, last", "believe, last"} <= {*offered["tellstones"]}
    assert {"theories", "pass", "submit, last"} <= {*offered["planetx"]}
    assert not {"theories", "pass"} & {*refused["planetx"]}
    assert not {"theories, last", "pass, last", "survey, last", "target, last"} & {*offered["planetx"]}
    assert {"counter, last", "withdraw, last", "cast", "lay"} <= {*offered["runes"]}
    assert not {"cast, last", "pay, last", "reveal, last"} & {*offered["runes"]}


def test_a_peek_is_never_offered() -> None:
    peeks = [after for _, act, after in acts("tellstones") if act.words[0] == "peek"]
    assert peeks
    assert not [after for after in peeks if after.regretted]
