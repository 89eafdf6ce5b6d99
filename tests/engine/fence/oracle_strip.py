"""The record that the oracle keeps of a phrase: its steps, what they changed, and what is left when it is over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NoReturn

from tests.engine.fence.oracle_deck import DECK, MARK

Seat = Literal["green", "red"]
SEATS: tuple[Seat, Seat] = ("green", "red")
ON_GUARD: Mapping[Seat, int] = {"green": 4, "red": 7}  # F13
FORWARD: Mapping[Seat, int] = {"green": 1, "red": -1}
HAND, FULL = 6, 6


@dataclass(frozen=True)
class Play:
    """A card laid with its bonus cards; `attack` is the new attack that a Feint brings (None: Feint option 2)."""

    seat: Seat
    card: str
    bonus: tuple[str, ...] = ()
    attack: str | None = None


@dataclass(frozen=True)
class Parry:
    """The card-less Parry, perhaps with a Glide for a riposte (F147)."""

    seat: Seat
    bonus: tuple[str, ...] = ()


@dataclass(frozen=True)
class Distance:
    """The card-less Distance; `card` is what leaves the hand (chosen by its owner or drawn blind)."""

    seat: Seat
    card: str | None = None


@dataclass(frozen=True)
class Accept:
    """Do nothing against it."""

    seat: Seat


Step = Play | Parry | Distance | Accept


@dataclass(frozen=True)
class Situation:
    """The bout as the phrase is opened. Weapons are PIL, INV or ENG; `hands` and `timer` are numbers of cards.

    sudden: overtime, or the last hands of the Tutorial: the first touch wins (F58, F102). yellow: who is known to hold
    a yellow Straight Thrust in Basic; from period 2 both may be anywhere, for they can be exchanged (F74, F96).
    """

    mode: str
    opener: Seat
    squares: Mapping[Seat, int]
    weapons: Mapping[Seat, str]
    stamina: Mapping[Seat, int]
    score: Mapping[Seat, int]
    hands: Mapping[Seat, int]
    timer: int
    target: int
    sudden: bool = False
    gone: tuple[str, ...] = ()
    yellow: frozenset[Seat] = frozenset(SEATS)


@dataclass(frozen=True)
class Report:
    """What comes of the steps: a fault (step index, clause), or somebody still asked, or a phrase that is over."""

    fault: tuple[int, str] | None = None
    asks: Seat | None = None
    threat: "Threat | None" = None
    speeds: tuple[tuple[int, str, int], ...] = ()
    touches: frozenset[Seat] = frozenset()
    score: Mapping[Seat, int] = field(default_factory=dict)
    stamina: Mapping[Seat, int] = field(default_factory=dict)
    squares: Mapping[Seat, int] = field(default_factory=dict)
    hands: Mapping[Seat, int] = field(default_factory=dict)
    timer: int = 0
    discarded: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    next_turn: Seat | None = None
    winner: Seat | None = None


@dataclass(frozen=True)
class Threat:
    """What will hit if it is not answered: whose it is, its row of section 5, its speed (None: Counter-Time)."""

    owner: Seat
    row: str
    speed: int | None
    opening: bool = False


@dataclass(frozen=True)
class Defence:
    """The defence that stands against the opener's attack; its speed is None after Distance (F140)."""

    speed: int | None


class Refused(Exception):
    """A step that the clauses do not allow."""

    def __init__(self, clause: str) -> None:
        super().__init__(clause)
        self.clause = clause


class Asked(Exception):
    """The steps ran out while somebody was asked."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self.seat = seat


@dataclass
class Strip:
    """The phrase as far as it was read: everything that the steps have changed."""

    at: Situation
    steps: tuple[Step, ...]
    read: int = 0
    squares: dict[Seat, int] = field(default_factory=dict)
    stamina: dict[Seat, int] = field(default_factory=dict)
    spent: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    counted: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    laid: dict[Seat, list[str]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    barred: set[Seat] = field(default_factory=set)
    cardless: set[Seat] = field(default_factory=set)
    dropped: dict[Seat, list[str]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    drawn: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    speeds: list[tuple[int, str, int]] = field(default_factory=list)
    threat: Threat | None = None

    def gap(self) -> int:
        return self.squares["red"] - self.squares["green"] - 1

    def timer(self) -> int:
        return self.at.timer - sum(self.drawn.values())

    def take(self, seat: Seat) -> Step:
        if self.read == len(self.steps):
            raise Asked(seat)
        step = self.steps[self.read]
        self.read += 1
        if step.seat != seat:
            refuse("F32")
        return step

    def note(self, what: str, speed: int) -> None:
        self.speeds.append((self.read - 1, what, speed))

    def has_card(self, seat: Seat) -> bool:
        return self.counted[seat] < 2 and seat not in self.barred  # F28, F87, F153

    def pay(self, seat: Seat, sp: int) -> None:
        if sp > self.stamina[seat]:
            refuse("F78")
        self.stamina[seat] -= sp
        self.spent[seat] += sp

    def draw(self, seat: Seat, number: int = 1) -> None:
        self.drawn[seat] += min(number, self.timer())  # F98: no card, no draw


def refuse(clause: str) -> NoReturn:
    raise Refused(clause)


def other(seat: Seat) -> Seat:
    return "red" if seat == "green" else "green"


def lay(strip: Strip, seat: Seat, keys: list[str], sp: int = 0) -> None:
    """Lay these cards together, each of which may still be in the hand; their SP are paid as one sum (F1, F78)."""
    for key in keys:
        may_hold(strip, key, sum(same_face(each, key) for each in keys))
    if strip.at.mode != "tutorial":  # F41
        sp += sum(DECK[key].sp for key in keys)
    strip.pay(seat, sp)
    strip.laid[seat] += keys


def may_hold(strip: Strip, key: str, wanted: int) -> None:
    """Nobody sees hands: a card is possible while so many copies of its face lie nowhere else (F31, F80)."""
    if MARK[strip.at.mode] not in DECK[key].marks:
        refuse("F1")
    out = [*strip.at.gone, *strip.laid["green"], *strip.laid["red"], *strip.dropped["green"], *strip.dropped["red"]]
    if wanted > copies(strip.at.mode, key) - sum(same_face(there, key) for there in out):
        refuse("F80")


@cache
def copies(mode: str, key: str) -> int:
    """How many cards of the mode's deck show this face."""
    return sum(MARK[mode] in card.marks and same_face(card.id, key) for card in DECK.values())


def same_face(one: str, two: str) -> bool:
    """Whether two copies cannot be told apart on the table."""
    return one in DECK and (DECK[one].kind, DECK[one].speed) == (DECK[two].kind, DECK[two].speed)


def settle(strip: Strip, touches: frozenset[Seat]) -> Report:
    """Score, stamina, figures and cards after the phrase, in the order of section 6."""
    at = strip.at
    level = at.score["green"] == at.score["red"] and at.score["green"] in (4, 9, 14)
    counted = frozenset[Seat]() if len(touches) == 2 and (level or at.sudden) else touches  # F56, F58, F102
    score = {seat: at.score[seat] + (seat in counted) for seat in SEATS}
    if counted and at.mode != "tutorial":
        for seat in SEATS:
            strip.stamina[seat] = min(FULL, strip.stamina[seat] + (strip.spent[seat] == 0))  # F81, F82
    place(strip, bool(counted))
    discarded = clear(strip, touches)
    laid = strip.laid["green"] + strip.laid["red"]
    gone = {s: len(strip.dropped[s]) + sum(key in discarded for key in strip.laid[s]) for s in SEATS}
    return Report(
        speeds=tuple(strip.speeds),
        touches=counted,
        score=score,
        stamina=dict(strip.stamina),
        squares=dict(strip.squares),
        hands={seat: at.hands[seat] - gone[seat] + strip.drawn[seat] for seat in SEATS},
        timer=strip.timer(),
        discarded=tuple(strip.dropped["green"] + strip.dropped["red"] + discarded),
        returned=tuple(key for key in laid if key not in discarded),
        next_turn=other(at.opener),  # F30
        winner=winner(at, counted, score),
    )


def winner(at: Situation, counted: frozenset[Seat], score: Mapping[Seat, int]) -> Seat | None:
    """Who has won with this phrase: the first touch when it is sudden, else the agreed points (F57, F58, F97, F102)."""
    if at.sudden:
        return next(iter(counted), None)
    ahead = max(SEATS, key=lambda seat: score[seat])
    return ahead if score[ahead] >= at.target else None


def place(strip: Strip, scored: bool) -> None:
    """The figures after the phrase (F39, F46, F154, F155)."""
    if scored:
        strip.squares = dict(ON_GUARD)
    elif DECK[strip.laid[strip.at.opener][0]].kind == "Fleche":
        attacker, defender = strip.at.opener, other(strip.at.opener)
        strip.squares[defender] += FORWARD[defender]
        strip.squares[attacker] = min(10, max(1, strip.squares[defender] - 3 * FORWARD[attacker]))


def clear(strip: Strip, touches: frozenset[Seat]) -> list[str]:
    """The cards of the phrase that are discarded, with what is drawn for them (F31, F40, F80, F168)."""
    first = next(iter(touches)) if len(touches) == 1 else strip.at.opener
    if strip.at.mode == "tutorial":
        for seat in (first, other(first)):
            held = strip.at.hands[seat] - len(strip.laid[seat]) - len(strip.dropped[seat]) + strip.drawn[seat]
            strip.draw(seat, HAND - held)
        return strip.laid["green"] + strip.laid["red"]
    jokers = [(seat, key) for seat in SEATS for key in strip.laid[seat] if DECK[key].kind == "Joker"]
    for seat, _ in jokers:
        strip.draw(seat)
    return [key for _, key in jokers]
