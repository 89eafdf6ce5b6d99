"""The time track: order of pawns, Earth's arrow with its events, and their traces.

Buttons order every action; the camera checks pawns and Earth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt, per_state
from engine.planetx.facts import Fact, sentence
from engine.planetx.match import PlayerState, Questioning, State, Step, player_of, with_player
from engine.planetx.sky import half_from, wrap
from engine.rules import Correction, MenuWord, Values, Word
from engine.table import Arrangement, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, list_texts, say, who
from engine.view import Event, Ring

THEORY = "theory"
EARTH = "earth"

# --- pawns


def in_order(state: State) -> tuple[PlayerState, ...]:
    """Return the players still there, rearmost pawn first (X20)."""
    here = (player for player in state.players if not player.gone)
    return tuple(sorted(here, key=lambda player: (player.time, player.arrival)))


def sector_at(state: State, time: int) -> int:
    return wrap(time + 1, state.mode.sectors)


def advance_pawn(state: State, seat: Seat, steps: int) -> State:
    """Advance a pawn to a new sector, in front of others (X21)."""
    return _put(state, player_of(state, seat), player_of(state, seat).time + steps) if steps else state


def _put(state: State, player: PlayerState, time: int) -> State:
    put = replace(player, time=time, arrival=state.arrivals)
    return replace(with_player(state, put), arrivals=state.arrivals + 1)


class Acting(Questioning, frozen=True, tag="acting"):
    """The rearmost pawn's owner acts (X20)."""

    clause = "X20"
    scored = True

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({in_order(state)[0].seat})

    def question(self, state: State) -> Text:
        sky = visible(state)
        return say("Your action. You can see sectors {first}-{last}.", first=sky[0], last=sky[-1])

    def sky(self, state: State) -> tuple[int, ...]:
        """Return half the sky from Earth's arrow (X22)."""
        return half_from(state.mode, sector_at(state, state.arrow))

    def unseen(self, state: State, reason: Text) -> Text:
        sky = visible(state)
        return say("{reason} You can see {first} to {last}.", reason=reason, first=sky[0], last=sky[-1])

    def pay_time(self, state: State, seat: Seat, price: int) -> State:
        return advance_pawn(state, seat, price)

    def ring(self, state: State, cells: tuple[str, ...], words: tuple[Text, ...]) -> Ring:
        marks = tuple((sector_at(state, p.time), who(p.seat)) for p in in_order(state))
        pawns = list_texts(say("{seat} {sector}", seat=seat, sector=sector) for sector, seat in marks)
        # Translators: {pawns} is each player with the number of a sector.
        return Ring(say("Sky, pawns {pawns}", pawns=pawns), cells, frozenset(visible(state)), marks, words)

    def follows(self, state: State) -> Step | None:
        """Hold a conference or move the arrow (X23); `begin_phase` handles theory phases."""
        if state.icons:
            return hold_conference(replace(state, icons=state.icons[1:]), state.icons[0])
        if state.arrow >= in_order(state)[0].time:
            return None
        return replace(state, arrow=state.arrow + 1, icons=icons_before(state, state.arrow + 1)), ()


# --- Earth


@per_state
def visible(state: State) -> tuple[int, ...]:
    return state.rules.play.sky(state)


def icons_before(state: State, time: int) -> tuple[str, ...]:
    """Return the icons on the arrow's step to `time`, in order (X24)."""
    left, entered = sector_at(state, time - 1), sector_at(state, time)
    theory = (THEORY,) if left in state.setting.theory_after else ()
    held = tuple(c.name for c in state.setting.conferences if c.sector == entered and c.name not in state.conferences)
    return theory + held


def conference(state: State, name: str) -> Fact:
    return next(fact for fact in state.game.conferences if fact.id == name)


def conference_text(state: State, name: str) -> Text:
    return say("Conference {name}: {fact}", name=name, fact=sentence(conference(state, name)))


def hold_conference(state: State, name: str) -> Step:
    """Hold a conference and announce its fact (X25)."""
    held = replace(state, conferences=(*state.conferences, name))
    return held, (Event(conference_text(state, name), None, reveals=True),)


HELD_ONCE = "X25"


def held_before(state: State, name: str) -> Iterator[Violation]:
    if name in state.conferences:
        yield Violation(HELD_ONCE, say("Conference {name} has been held.", name=name))


# --- corrections


class PawnTime(Word[State, int]):
    """A pawn's possible time, written as its sector.

    Offered in `Acting` only; a pawn stays at Earth's arrow, and the automatic opponent is not next.
    """

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        if not isinstance(state.phase, Acting):
            return ()
        player = player_of(state, before[0])
        ahead = range(state.arrow, state.arrow + state.mode.sectors)
        return (time for time in ahead if _fits(state, _put(state, player, time)))

    def write(self, state: State, value: int, before: Values) -> tuple[str, ...]:
        return (str(sector_at(state, value)),)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return say("sector {sector}", sector=sector_at(state, value))


def _fits(state: State, after: State) -> bool:
    first = in_order(after)[0]
    return first.time == state.arrow and first.seat != state.rules.opponent


OF_SEAT = MenuWord[State, Seat](
    lambda state, _: (player.seat for player in in_order(state) if state.phase.actors(state)),
    lambda seat: say("seat {seat}", seat=who(seat)),
)
STANDING = PawnTime()


class Repair(Correction[State], frozen=True):
    def public_text(self, state: State) -> Text:
        raise NotImplementedError


class Pawn(Repair, frozen=True, tag="pawn"):
    """Correct a pawn's sector; it goes in front of others there (X20)."""

    seat: Annotated[Seat, OF_SEAT]
    time: Annotated[int, STANDING]

    name = say("A pawn stands elsewhere, or in front")

    def after(self, state: State) -> State:
        return _put(state, player_of(state, self.seat), self.time)

    def public_text(self, state: State) -> Text:
        seat, sector = who(self.seat), str(sector_at(state, self.time))
        return say("Put right: the pawn of {seat} stands in front on sector {sector}.", seat=seat, sector=sector)


# --- the camera

Places = Mapping[str, int]
"""Sector of each piece by kind; a pawn's kind is its season."""


def layout(state: State) -> Layout:
    """Return a zone per sector for pawns and cells for Earth; empty without a camera."""
    return _lay_out(_places(state), state.mode.sectors) if state.rules.camera else Layout(())


def trace(before: State, after: State) -> Trace:
    """Return the moves between two states, always declared."""
    return _trace(_places(before), _places(after), before.mode.sectors)


def attempts(state: State) -> Iterator[Attempt]:
    """Yield moves of a pawn or Earth without an action."""
    before, n = _places(state), state.mode.sectors
    for kind, sector in before.items():
        text = say("No move was chosen: put {piece} back in sector {sector}.", piece=_name(state, kind), sector=sector)
        yield _attempt("moved without an action", state, before, {**before, kind: wrap(sector + 1, n)}, text)


def misexecutions(state: State, ordered: State) -> Iterator[Attempt]:
    """Yield attempts that put a piece one sector too far or short. ordered: the intended state."""
    n, before, after = state.mode.sectors, _places(state), _places(ordered)
    for kind, sector in after.items():
        for kind_of_error, step in (("one too far", 1), ("one short", -1)):
            put = wrap(sector + step, n)
            if sector != before[kind] and put != before[kind]:
                text = say("{piece} belongs on sector {sector}.", piece=_name(state, kind), sector=sector)
                yield _attempt(kind_of_error, state, before, {**after, kind: put}, text)


def _places(state: State) -> Places:
    pawns = {player.season: sector_at(state, player.time) for player in state.players}
    return {**pawns, EARTH: sector_at(state, state.arrow)}


def _lay_out(places: Places, n: int) -> Layout:
    sectors = tuple(
        ZoneLayout(_zone(s), Arrangement.AREA, tuple(Piece(kind) for kind in _standing(places, s)))
        for s in range(1, n + 1)
    )
    earth = tuple(Piece(EARTH) if places[EARTH] == s else None for s in range(1, n + 1))
    names = tuple(Text(_zone(s)) for s in range(1, n + 1))
    return Layout((*sectors, ZoneLayout(EARTH, Arrangement.CELLS, earth, places=names)))


def _trace(before: Places, after: Places, n: int) -> Trace:
    moves = tuple(
        Move(_spot(before, kind), _spot(after, kind)) for kind in sorted(before) if before[kind] != after[kind]
    )
    return Trace(_lay_out(after, n), moves, declared=True)


def _attempt(kind: str, state: State, before: Places, after: Places, text: Text) -> Attempt:
    by = min(state.phase.actors(state))
    return Attempt(kind, by, _trace(before, after, state.mode.sectors), (Violation("X21", text),))


def _standing(places: Places, sector: int) -> list[str]:
    return sorted(kind for kind, at in places.items() if at == sector and kind != EARTH)


def _spot(places: Places, kind: str) -> Spot:
    sector = places[kind]
    return Spot(EARTH, sector - 1) if kind == EARTH else Spot(_zone(sector), _standing(places, sector).index(kind))


def _zone(sector: int) -> str:
    return f"sector-{sector}"


def _name(state: State, kind: str) -> Text:
    if kind == EARTH:
        return say("Earth's arrow")
    seat = next(player.seat for player in state.players if player.season == kind)
    return say("the pawn of {seat}", seat=who(seat))
