"""The end: Locate, last moves, revelation, score and winner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Words
from engine.planetx.facts import Fact, holds
from engine.planetx.match import (
    SECTOR,
    ActionRecord,
    ObjectWord,
    Order,
    Phase,
    PlayerState,
    State,
    Step,
    phase_of,
    player_of,
    with_player,
)
from engine.planetx.questions import FreeQuestioning, Inquiry
from engine.planetx.sky import NAMES, wrap
from engine.planetx.theories import PassTheories, Submit, placeable
from engine.planetx.track import Acting, in_order
from engine.rules import Values, verb
from engine.table import Seat
from engine.text import Text, list_texts, say, who
from engine.view import Event, Outcome, RingSector

FIRST_FINDER = 10

# --- Locate

LOCATE_COST = 5


class Neighbour(ObjectWord):
    """The object `steps` sectors clockwise of Planet X (X36)."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        sector = wrap(before[0] + self._steps, state.mode.sectors)
        return say("sector {sector}: {object}", sector=sector, object=NAMES[value])


BEFORE, AFTER = Neighbour(-1), Neighbour(1)


class Locate(Inquiry, frozen=True, tag="locate", rename={"beyond": "after"}):
    """Claim Planet X's sector (X35) and both neighbours; `beyond` is clockwise."""

    sector: Annotated[int, SECTOR]
    before: Annotated[str, BEFORE]
    beyond: Annotated[str, AFTER]

    name = say("Locate Planet X (time {cost})", cost=LOCATE_COST)
    clauses: ClassVar[tuple[str, ...]] = ("X35", "X36")

    def cost(self, sectors: int) -> int:
        return LOCATE_COST

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if player_of(state, seat).located:
            yield Violation("X35", say("You have located Planet X already."))

    def costs(self, state: State, seat: Seat) -> bool:
        """Return True: the answer is final, and time or the last move is spent (X35, X60)."""
        return True

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if "X" in (self.before, self.beyond):
            yield Violation("X36", say("Planet X cannot be its own neighbour."))

    def answer(self, state: State) -> Fact:
        claim = Fact("located", self.before, self.beyond, sector=self.sector)
        return claim if holds(claim, state.mode, state.game.board) else replace(claim, form="not_located")

    def announced_words(self, state: State) -> Words:
        return (verb(type(self)),)

    @classmethod
    def announcement(cls, state: State, deed: ActionRecord) -> Text:
        """Return the public sentence: only success or failure (X35)."""
        if deed.success:
            return say("{seat} locates Planet X: success!", seat=who(deed.seat))
        return say("{seat} tries to locate Planet X and fails.", seat=who(deed.seat))

    def success(self, fact: Fact) -> bool | None:
        return fact.form == "located"

    def after(self, state: State, seat: Seat) -> State:
        state = super().after(state, seat)
        return _locate_planet(state, seat) if state.deeds[-1].success else state


def _locate_planet(state: State, seat: Seat) -> State:
    """Note a success; the first begins the end (X35)."""
    state = with_player(state, replace(player_of(state, seat), located=True))
    if state.finder is not None:
        return state
    state = replace(state, finder=seat)
    return replace(state, phase=EndPhase(_last_moves(state))) if state.rules.play.scored else state


# --- last moves


class EndPhase(Phase, frozen=True, tag="ending"):
    """Last moves, rearmost pawn first (X60). left: seats with the number of theories each may place. begun: the first
    has placed one."""

    left: tuple[tuple[Seat, int], ...]
    begun: bool = False

    clause = "X60"
    first = "pass"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({self.left[0][0]})

    def wanted_text(self, state: State) -> Text:
        return say("This is your last move: Locate, theories or pass.")

    def question(self, state: State) -> Text:
        return say("Your last move: Locate, theories or pass.")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} makes a last move.", seat=who)

    def follows(self, state: State) -> Step | None:
        return None if self.left else reveal_all(state)

    def without(self, seat: Seat) -> Phase:
        begun = self.begun and self.left[0][0] != seat
        return EndPhase(tuple(entry for entry in self.left if entry[0] != seat), begun)


def _last_moves(state: State) -> tuple[tuple[Seat, int], ...]:
    """Return seats behind the finder, with the number of theories each may place (X61)."""
    behind = ((player.seat, gap(state, player)) for player in in_order(state))
    return tuple((seat, 1 if distance <= 3 else 2) for seat, distance in behind if distance > 0)


def gap(state: State, player: PlayerState) -> int:
    """Return a player's sectors behind the finder (X61), negative if ahead; 0 without a finder."""
    return player_of(state, state.finder or player.seat).time - player.time


def _next_last_move(state: State) -> State:
    return replace(state, phase=EndPhase(phase_of(state, EndPhase).left[1:]))


class NoMore(PassTheories, frozen=True, tag="pass"):
    """Pass, or end, the last move (X60)."""

    name = say("No more")
    clauses = ("X60",)
    when = (EndPhase,)

    def after(self, state: State, seat: Seat) -> State:
        return _next_last_move(state)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(say("{seat} passes.", seat=who(seat)), None)


class LastLocate(Locate, frozen=True, tag="locate"):
    """Locate as a free last move (X60)."""

    name = say("Locate Planet X")
    clauses = (*Locate.clauses, "X60")
    when = (EndPhase,)

    def price(self, state: State) -> int:
        return 0

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        yield from super().verb_violations(state, seat)
        if isinstance(state.phase, EndPhase) and state.phase.begun:
            yield Violation("X60", say("The last move is Locate or theories, not both."))

    def after(self, state: State, seat: Seat) -> State:
        return _next_last_move(super().after(state, seat))


class LastTheory(Submit, frozen=True, tag="submit"):
    """Place a theory as last move (X60); all such are simultaneous."""

    clauses = (*Submit.clauses, "X60")
    when = (EndPhase,)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if isinstance(state.phase, EndPhase) and not state.phase.left[0][1]:
            yield Violation("X60", say("You are too close behind to place a last theory."))

    def after(self, state: State, seat: Seat) -> State:
        left = phase_of(state, EndPhase).left
        state, count = self.place_token(state, seat, state.theory_phase + 1), left[0][1]
        if count == 1 or not placeable(state, seat):
            return _next_last_move(state)
        return replace(state, phase=EndPhase(((seat, count - 1), *left[1:]), begun=True))


def resign(state: State, seat: Seat) -> Step:
    phase = state.phase
    state = with_player(state, replace(player_of(state, seat), gone=True))
    state = replace(state, phase=phase.without(seat))
    told = Event(say("{seat} resigns.", seat=who(seat)), None)
    left = in_order(state)
    if isinstance(phase, Over) or len(left) > 1 or (left and not state.rules.play.scored):
        return state, (told,)
    state, events = reveal_all(state)
    return state, (told, *events)


# --- all is revealed


class Over(Phase, frozen=True, tag="over"):
    clause = "X62"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def wanted_text(self, state: State) -> Text:
        return say("The match is over.")

    def out_of_turn(self, state: State, seat: Seat) -> Violation:
        return Violation(self.clause, self.wanted_text(state))

    def waiting(self, state: State, who: Text) -> Text:
        return self.wanted_text(state)


def years_out(state: State) -> Step | None:
    years = state.rules.years
    done = isinstance(state.phase, Acting) and years and state.arrow >= years * state.mode.sectors
    return reveal_all(state) if done else None


def reveal_all(state: State) -> Step:
    """Reveal everything; wrong theories leave without penalty (X62)."""
    right = tuple(replace(t, shown=True) for t in state.theories if state.game.board[t.sector - 1] == t.kind)
    state = replace(state, theories=right, phase=Over())
    told = say("Planet X was in sector {sector}.", sector=state.game.board.index("X") + 1)
    return state, (Event(told, None, reveals=True),)


class RevealAll(Order, frozen=True, tag="reveal"):
    """Reveal everything, where players keep score (X62)."""

    name = say("Reveal everything")
    clauses = ("X62",)
    when = (FreeQuestioning,)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if state.finder is None:
            yield Violation("X62", say("Everything is revealed once Planet X is located."))

    def after(self, state: State, seat: Seat) -> State:
        return reveal_all(state)[0]

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        return iter(reveal_all(before)[1])


# --- the score


class Tally(msgspec.Struct, frozen=True):
    """Points for theories, firsts and Planet X (X63-X65)."""

    seat: Seat
    theories: int
    firsts: int
    planet: int

    @property
    def total(self) -> int:
        return self.theories + self.firsts + self.planet


def tallies(state: State) -> tuple[Tally, ...]:
    """Return the points by seat (X63-X65); () if players keep score."""
    if not state.rules.play.scored:
        return ()
    return tuple(
        Tally(
            seat=player.seat,
            theories=sum(_worth(state, t.kind) for t in state.theories if t.owner == player.seat),
            firsts=_firsts(state, player.seat),
            planet=_planet(state, player),
        )
        for player in state.players
    )


def _worth(state: State, kind: str) -> int:
    """Return the points of a right theory (X64)."""
    return {"A": 2, "C": 3, "G": 4, "D": 4 if state.mode.dwarf_band is None else 2}[kind]


def _firsts(state: State, seat: Seat) -> int:
    """Count sectors where the seat was first (X63), perhaps with others of that phase."""
    earliest: dict[int, int] = {}
    for theory in state.theories:
        earliest[theory.sector] = min(theory.phase, earliest.get(theory.sector, theory.phase))
    return sum(t.owner == seat and t.phase == earliest[t.sector] for t in state.theories)


def _planet(state: State, player: PlayerState) -> int:
    """Return the points for Planet X (X65): ten for the first finder, two for each sector behind, at most ten, for
    a later one."""
    if not player.located:
        return 0
    return FIRST_FINDER if player.seat == state.finder else max(0, min(FIRST_FINDER, 2 * gap(state, player)))


def outcome(state: State) -> Outcome | None:
    """Return the winners: most points, then Planet X, then firsts, else shared (X66); none if players keep score."""
    if not isinstance(state.phase, Over):
        return None
    winners, text = _result(state)
    sector = state.game.board.index("X") + 1
    return Outcome(winners, text, decided_by=(RingSector(sector),), how=tuple(_about_planet(state, sector)))


def _about_planet(state: State, sector: int) -> Iterator[Text]:
    """Yield who located Planet X first, and what is beside it."""
    if state.finder is not None:
        yield say("{seat} located Planet X first.", seat=who(state.finder))
    beside = (wrap(sector + step, state.mode.sectors) for step in (-1, 1))
    yield say("Beside it: {objects}.", objects=list_texts(NAMES[state.game.board[each - 1]] for each in beside))


def _result(state: State) -> tuple[frozenset[Seat], Text]:
    every, here = tallies(state), {player.seat for player in in_order(state)}
    if not every:
        return frozenset(), say("All is revealed: count your points.")
    points = [tally for tally in every if tally.seat in here]
    if not points:
        return frozenset(), say("Everybody has given up.")
    best = max((t.total, t.planet, t.firsts) for t in points)
    winners = frozenset(t.seat for t in points if (t.total, t.planet, t.firsts) == best)
    if winners == {state.rules.opponent}:
        return frozenset(), say("The automatic opponent wins with {points} points.", points=best[0])
    return winners - {state.rules.opponent or ""}, _winner_text(tuple(sorted(winners)), best[0])


def _winner_text(winners: tuple[Seat, ...], points: int) -> Text:
    if len(winners) == 1:
        return say("{seat} wins with {points} points.", seat=who(winners[0]), points=points)
    names = list_texts(map(who, winners))
    return say("{seats} share the victory with {points} points.", seats=names, points=points)
