"""Runs an evening of several matches: formats, seating, score."""

from __future__ import annotations

import msgspec

from device.session.matches import over
from device.session.state import Play, Setup
from engine.catalogue import GameSpec
from engine.evening import (
    Evening,
    EveningKind,
    bouts,
    champions,
    eliminating,
    next_match,
    pool,
    series,
    standings,
    tableau,
    wins,
    with_result,
)
from engine.game import OptionValue
from engine.table import Seat
from engine.text import Text, in_context, many, player, say, who
from engine.view import Line, Panel

replace = msgspec.structs.replace
Options = dict[str, OptionValue]

SERIES = (2, 3, 4, 5, 7, 10)
"""Wins needed for a series, as offered."""

_ROUNDS = (say("Final"), say("Semi-final"), say("Quarter-final"))
"""Elimination rounds, the last first."""


def stands(play: Play) -> Evening | None:
    """Return the match's evening, with its result once public; None for a single match."""
    before = play.match.start.evening
    if not isinstance(before, Evening):
        return None
    result = play.match.result
    return before if result is None or not over(play) else with_result(before, play.match.start.seats, result)


def offered_evenings(spec: GameSpec, seats: tuple[Seat, ...], there: tuple[Seat, ...]) -> tuple[Evening | None, ...]:
    """Return the formats for these seats, None for a single match; () without a choice.

    there: the table's seats.
    """
    if len(seats) < 2:
        return ()
    pools = spec.pool.players if spec.pool is not None and len(seats) == 2 else ()
    return (
        None,
        *(series(len(seats), to) for to in SERIES),
        *(pool(many, _homes(seats, there, many)) for many in pools),
    )


def _homes(seats: tuple[Seat, ...], there: tuple[Seat, ...], players: int) -> tuple[Seat, ...]:
    others = [seat for seat in there if seat not in seats]
    chosen = {*seats, *others[: max(0, players - len(seats))]}
    return tuple(seat for seat in there if seat in chosen) if len(chosen) == players else ()


def seats_of(evening: Evening | None, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return the next match's seats. seats: the previous one's."""
    if evening is None or not evening.homes:
        return seats
    return tuple(evening.homes[player] for player in evening.seated)


def anew(evening: Evening) -> Evening:
    """Return the evening from its beginning; a series keeps its current seats."""
    if evening.kind is EveningKind.SERIES:
        return replace(evening, played=())
    return pool(evening.players, evening.homes)


def rules(spec: GameSpec, evening: Evening | None) -> Options:
    """Return the options fixed by the evening for its next match."""
    if evening is None or evening.kind is not EveningKind.POOL or spec.pool is None:
        return {}
    return spec.pool.elimination if eliminating(evening) else spec.pool.pool


def carry_options(spec: GameSpec, options: Options, seats: tuple[Seat, ...], moves: tuple[int | None, ...]) -> Options:
    """Return the options after a change of seats.

    moves: each player's previous place; None if new.
    """
    carried = dict(options)
    usual = {option.name: option.default for option in spec.options}
    for of_seat in spec.of_seats:
        for seat, came in zip(seats, moves, strict=True):
            carried[of_seat[seat]] = usual[of_seat[seat]] if came is None else options[of_seat[seats[came]]]
    return carried


def following(play: Play, *, moved: bool) -> Setup:
    """Return the next match's set-up. moved: everybody moves one seat on."""
    start, evening = play.match.start, stands(play)
    before = tuple(range(len(start.seats))) if evening is None else evening.seated
    after = (before[-1], *before[:-1]) if moved else before
    if evening is not None and not champions(evening):
        evening = next_match(evening, moved=moved)
        after = evening.seated
    elif evening is not None:
        evening = anew(evening)
    moves = tuple(before.index(player) if player in before else None for player in after)
    kept = evening is not None and evening.homes
    options = dict(start.options) if kept else carry_options(play.known.spec, dict(start.options), start.seats, moves)
    clock, seats = dict(start.clock or {"kind": "none"}), seats_of(evening, start.seats)
    return Setup(game=start.game, seats=seats, options=options, clock=clock, evening=evening, moved=moved)


def title(evening: Evening | None) -> Text:
    """Return the format in one line."""
    if evening is None:
        return say("One match")
    if evening.kind is EveningKind.SERIES:
        return many("First to {count} win", "First to {count} wins", evening.to)
    return say("Pool of {players}, then elimination", players=evening.players)


def match_title(evening: Evening) -> Text:
    if evening.kind is EveningKind.SERIES:
        return say("Match {number}", number=len(evening.played) + 1)
    if not eliminating(evening):
        return say("Bout {number} of {count}", number=len(evening.played) + 1, count=len(bouts(evening.players)))
    rounds = tableau(evening)
    due = next(n for n, meetings in enumerate(rounds) if any(meeting.winner is None for meeting in meetings))
    return _ROUNDS[len(rounds) - 1 - due]


def arrival(setup: Setup) -> tuple[Text, ...]:
    """Return the title and seating of an evening's next match; of a single match that seats change, or ()."""
    if setup.evening is None:
        return (say("Everybody moves to the next seat."),) if setup.moved else ()
    sit = zip(setup.seats, setup.evening.seated, strict=True)
    lines = (say("{seat}: {player}", seat=who(seat), player=player(number)) for seat, number in sit)
    return (match_title(setup.evening), *lines)


def score(evening: Evening, seats: tuple[Seat, ...], seat: Seat | None) -> Text:
    """Return a series' wins, `seat` first; a pool's bout number; an elimination's round."""
    if eliminating(evening):
        return match_title(evening)
    if evening.kind is EveningKind.POOL:
        return Text(f"{len(evening.played) + 1}/{len(bouts(evening.players))}")
    own = seats.index(seat) if seat in seats else 0
    seated = (*evening.seated[own:], *evening.seated[:own])
    return Text(":".join(str(wins(evening)[number]) for number in seated))


def verdict(evening: Evening) -> Text:
    """Return the evening's state after a match, in one line."""
    won = champions(evening)
    if won:
        return say("{player} wins the evening", player=_together(won))
    if evening.kind is EveningKind.SERIES:
        return Text("{a}: {b}", (("a", title(evening)), ("b", ":".join(map(str, wins(evening))))))
    return Text("{a}: {b}", (("a", in_context("next match", "Next")), ("b", match_title(evening))))


def results(evening: Evening) -> tuple[Panel, ...]:
    """Return the evening's table: wins, or a pool's tableau and ranking."""
    if evening.kind is EveningKind.SERIES:
        lines = (_winner_text(number, count) for number, count in enumerate(wins(evening)))
        return (Line(title(evening), strong=True), *map(Line, lines))
    rounds = tuple(reversed(tableau(evening))) if eliminating(evening) else ()
    meetings = (
        Line(_meeting(evening, name, meeting.players, meeting.winner))
        for name, found in zip(_ROUNDS, rounds, strict=False)
        for meeting in found
        if None not in meeting.players
    )
    # Translators: V/M, HS-HR and HS are fencing's own: victories a bout, hits scored less hits received, hits scored.
    columns = Line(say("Pool: V/M, HS-HR, HS"), strong=True)
    ranking = (
        Line(
            say(
                "{place}. {player}: {victories}/{bouts}, {index}, {scored}",
                place=place,
                player=player(each.player),
                victories=each.victories,
                bouts=each.bouts,
                index=f"{each.index:+d}",
                scored=each.scored,
            )
        )
        for place, each in enumerate(standings(evening), start=1)
    )
    return (*meetings, columns, *ranking)


def _winner_text(number: int, count: int) -> Text:
    return many("{player}: {count} win", "{player}: {count} wins", count, player=player(number))


def _together(numbers: tuple[int, ...]) -> Text:
    first, *others = map(player, numbers)
    for other in others:
        first = say("{first} and {other}", first=first, other=other)
    return first


def _meeting(evening: Evening, name: Text, players: tuple[int | None, int | None], winner: int | None) -> Text:
    one, other = (number for number in players if number is not None)
    if winner is None:
        return say("{round}: {one} - {other}", round=name, one=player(one), other=player(other))
    loser = other if winner == one else one
    fought = evening.played[len(bouts(evening.players)) :]
    last = next(match for match in reversed(fought) if set(match.seated) == {one, other} and match.winners == (winner,))
    points = dict(zip(last.seated, last.points, strict=False))
    return say(
        "{round}: {winner} {points}:{fewer} {loser}",
        round=name,
        winner=player(winner),
        points=points.get(winner, 0),
        fewer=points.get(loser, 0),
        loser=player(loser),
    )
