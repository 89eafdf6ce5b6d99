"""The state of a match: the hidden game, the players, the track, the theories, and what is asked of whom."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.planetx.draw import Drawn
from engine.planetx.facts import Fact
from engine.planetx.sky import MODES, Mode, wrap
from engine.table import Seat


class Conference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conference icon: its name, and the sector that it is met on entering (X24)."""

    name: str
    sector: int


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is printed on the board and lies in the box, for one mode (config/decks/planetx.toml)."""

    theory_after: tuple[int, ...]
    conferences: tuple[Conference, ...]
    review_phase: int
    theories: int
    tokens: dict[str, int]


class Rules(msgspec.Struct, frozen=True):
    """The options of the match (config/games/planetx.toml). opponent: the automatic one's seat, if there is one.

    years: all is revealed when Earth has gone round so many times; 0 for never.
    """

    mode: str
    level: str
    strength: str
    opponent: Seat | None
    typed: bool
    app_only: bool
    marks: bool
    consistency: bool
    possible: bool
    years: int
    camera: bool


class Answer(msgspec.Struct, frozen=True):
    """What a player learned by an action, and the time at which it was asked (X30, X37)."""

    time: int
    fact: Fact


class Note(msgspec.Struct, frozen=True, order=True):
    """A player's own mark: `kind` is, or is not, in the sector."""

    sector: int
    kind: str
    holds: bool


class Player(msgspec.Struct, frozen=True):
    """A seat: its pawn, its tokens and what it knows.

    time: sectors advanced since the start. arrival: a number that grows with each arrival on a sector; on one sector
    the smaller stands behind (X20). last: the verb of its last action (X34). tried: (sector, kind) of every theory that
    it ever placed (X52). located: it has located Planet X. gone: it has resigned. level: None until
    chosen.
    """

    seat: Seat
    season: str
    arrival: int
    tokens: dict[str, int]
    level: str | None
    time: int = 0
    targets: int = 2
    last: str = ""
    answers: tuple[Answer, ...] = ()
    tried: tuple[tuple[int, str], ...] = ()
    notes: tuple[Note, ...] = ()
    located: bool = False
    gone: bool = False


class Theory(msgspec.Struct, frozen=True):
    """A token on the board. phase: the theory phase when it was placed; age: spaces moved inward; shown: face up."""

    owner: Seat
    sector: int
    kind: str
    phase: int
    age: int = 0
    shown: bool = False


class Deed(msgspec.Struct, frozen=True):
    """What everybody may know of an action: who, when, what, its price, and success or failure of a Locate (X30)."""

    seat: Seat
    time: int
    words: tuple[str, ...]
    cost: int
    success: bool | None = None


class Typing(msgspec.Struct, frozen=True, tag="typing"):
    """The code is to be typed (X12)."""


class Choosing(msgspec.Struct, frozen=True, tag="choosing"):
    """Levels of starting facts are being chosen (X13)."""


class Acting(msgspec.Struct, frozen=True, tag="acting"):
    """The last pawn's owner acts (X20)."""


class Pledging(msgspec.Struct, frozen=True, tag="pledging"):
    """All choose at once how many theories they submit (X50). pledges: those who have."""

    pledges: dict[Seat, int] = {}


class Placing(msgspec.Struct, frozen=True, tag="placing"):
    """Theories are placed, from the last pawn on (X51). left: seats in order, with how many they still place."""

    left: tuple[tuple[Seat, int], ...]


class Ending(msgspec.Struct, frozen=True, tag="ending"):
    """Last moves, from the rearmost pawn on (X60). left: seats with how many theories they may submit.

    begun: the first of them has already submitted a theory.
    """

    left: tuple[tuple[Seat, int], ...]
    begun: bool = False


class Asking(msgspec.Struct, frozen=True, tag="asking"):
    """The players keep the track themselves: anybody may ask."""


class Over(msgspec.Struct, frozen=True, tag="over"):
    """All is revealed (X62)."""


Phase: TypeAlias = "Typing | Choosing | Acting | Pledging | Placing | Ending | Asking | Over"


class State(msgspec.Struct, frozen=True):
    """A match. `game` holds everything hidden; nothing of it is shown but through answers.

    arrow: time of the sector that Earth's arrow points at. icons: what the arrow still meets before it goes on.
    theory_phase: number of the current or last theory phase. reviews: what reviews made public (X54, X55).
    conferences: names of those held. finder: who located Planet X first.
    """

    rules: Rules
    setting: Setting
    game: Drawn
    players: tuple[Player, ...]
    phase: Phase
    arrow: int = 0
    arrivals: int = 0
    icons: tuple[str, ...] = ()
    theory_phase: int = 0
    theories: tuple[Theory, ...] = ()
    settled: dict[str, str] = {}
    reviews: tuple[Fact, ...] = ()
    conferences: tuple[str, ...] = ()
    deeds: tuple[Deed, ...] = ()
    finder: Seat | None = None

    @property
    def mode(self) -> Mode:
        return MODES[self.rules.mode]


def player_of(state: State, seat: Seat) -> Player:
    """The player at a seat. Raises KeyError if nobody sits there."""
    for player in state.players:
        if player.seat == seat:
            return player
    raise KeyError(seat)


def with_player(state: State, player: Player) -> State:
    """The state with one player replaced."""
    players = tuple(player if p.seat == player.seat else p for p in state.players)
    return msgspec.structs.replace(state, players=players)


def in_order(state: State) -> tuple[Player, ...]:
    """The players who are still there, from the rearmost pawn to the foremost (X20)."""
    here = (player for player in state.players if not player.gone)
    return tuple(sorted(here, key=lambda player: (player.time, player.arrival)))


def sector_at(state: State, time: int) -> int:
    """The sector of the time track that a time lies on."""
    return wrap(time + 1, state.mode.sectors)


def visible(state: State) -> tuple[int, ...]:
    """The visible sky, clockwise from Earth's arrow (X22); every sector if the players keep the track."""
    n = state.mode.sectors
    if state.rules.app_only:
        return tuple(range(1, n + 1))
    return tuple(wrap(sector_at(state, state.arrow) + k, n) for k in range(state.mode.half))


def moved(state: State, seat: Seat, steps: int) -> State:
    """The state with one pawn advanced: on its new sector it stands in front of those already there (X20)."""
    if steps == 0:
        return state
    player = player_of(state, seat)
    arrived = msgspec.structs.replace(player, time=player.time + steps, arrival=state.arrivals)
    return msgspec.structs.replace(with_player(state, arrived), arrivals=state.arrivals + 1)


def settled(state: State, sector: int) -> bool:
    """Whether a review proved what is in the sector (X54)."""
    return str(sector) in state.settled


def placeable(state: State, seat: Seat) -> tuple[tuple[int, str], ...]:
    """Every theory that a player may place now: (sector, kind) (X10, X51, X52)."""
    player = player_of(state, seat)
    taken = {theory.sector for theory in state.theories if theory.owner == seat}
    return tuple(
        (sector, kind)
        for sector in range(1, state.mode.sectors + 1)
        if sector not in taken and not settled(state, sector)
        for kind, left in player.tokens.items()
        if left and (sector, kind) not in player.tried
    )


def actors(state: State) -> frozenset[Seat]:  # noqa: PLR0911 -- one line a phase
    """Who may act now. The automatic opponent never waits for a press."""
    match state.phase:
        case Typing():
            return frozenset({next(player.seat for player in state.players if not player.gone)})
        case Choosing():
            return frozenset(player.seat for player in in_order(state) if player.level is None)
        case Acting():
            return frozenset({in_order(state)[0].seat})
        case Pledging(pledges):
            return frozenset(player.seat for player in in_order(state) if player.seat not in pledges)
        case Placing(left) | Ending(left):
            return frozenset({left[0][0]})
        case Asking():
            return frozenset(player.seat for player in in_order(state))
        case Over():
            return frozenset()
