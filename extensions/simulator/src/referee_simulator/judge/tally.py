"""The judge of simulated matches, which compares deeds with the referee's records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

import msgspec

from engine.game import Words
from referee_simulator.dealers import HiddenNumber
from referee_simulator.players.decisions import Intent


class Verdicts(msgspec.Struct, frozen=True):
    """Verdicts on honest actions and visible cheats. asked: honest handling that needed a question."""

    right: int = 0
    wrong: int = 0
    asked: int = 0


class Kind(msgspec.Struct, frozen=True):
    """Counts of one kind of cheat. asked: caught by a question, not a refusal."""

    injected: int = 0
    visible: int = 0
    caught: int = 0
    missed: int = 0
    asked: int = 0
    evidence: dict[str, int] = {}


class Cheats(msgspec.Struct, frozen=True):
    """Counts of all cheats; `caught` and `missed` are of visible ones."""

    injected: int = 0
    visible: int = 0
    caught: int = 0
    missed: int = 0
    by_kind: dict[str, Kind] = {}


class Counts(msgspec.Struct, frozen=True):
    """Comparisons of the referee's hidden numbers with the truth, and mismatches."""

    compared: dict[str, int] = {}
    mismatches: dict[str, int] = {}


class Details(msgspec.Struct, frozen=True):
    """Circumstances of the figures.

    seats, orders: matches by number of players and kind of orders
    hands: share of frames with a hand
    stuck: matches that could not end
    broken_off: matches that were left at their longest
    put_right: refusals that players overruled
    asked: questions by the action's first word
    notes: faults, with match (for `--only`) and second"""

    scene: str
    seed: int
    cheat_rate: float
    seats: dict[str, int]
    orders: dict[str, int]
    hands: float
    simulated_seconds: float
    stuck: int
    broken_off: int = 0
    put_right: int = 0
    asked: dict[str, int] = {}
    notes: tuple[str, ...] = ()


class Conduct(msgspec.Struct, frozen=True):
    """Circumstances of matches at the buttons. resigned: matches that random play did not end."""

    seed: int
    seats: dict[str, int]
    panels: dict[str, int]
    options: dict[str, int]
    presses: int
    simulated_seconds: float
    resigned: int
    stuck: int
    cheat_rate: float = 0.0  # buttons leave nothing to cheat with
    notes: tuple[str, ...] = ()


D = TypeVar("D")


class Result(msgspec.Struct, Generic[D], frozen=True):
    """A simulation's figures, as `referee simulate --json` prints them."""

    game: str
    matches: int
    actions: int
    verdicts: Verdicts
    cheats: Cheats
    false_accusations: int
    frames: int
    seconds: float
    presses_per_action: float
    counts: Counts
    details: D


class Ending(msgspec.Struct, frozen=True):
    """The verdict on a deed. accused: somebody was accused wrongly."""

    worth: str  # "right", "wrong" or "asked"
    accused: bool = False
    note: str = ""


class Tally:
    """Counts deeds and verdicts; notes begin with the match's second."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        """clock: seconds since power-on, not pickled."""
        self._clock = clock
        self.actions = 0
        self.presses = 0
        self.accusations = 0
        self.stuck = 0
        self.put_right = 0
        self.notes: list[str] = []
        self.worth: Counter[str] = Counter()
        self.questions: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self.mismatches: Counter[str] = Counter()
        self._kinds: dict[str, Counter[str]] = {}
        self._evidence: dict[str, Counter[str]] = {}

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_clock"}

    def honest(self, intent: Intent, ending: Ending) -> None:
        self.actions += 1
        self.worth[ending.worth] += 1
        self.accusations += ending.accused
        if ending.worth == "asked":
            self.questions[intent.words[0] if intent.words else intent.kind] += 1
        if ending.worth != "right":
            self._note(f"{ending.worth}: {intent.by} {' '.join(intent.words)}: {ending.note}")

    def cheat(self, intent: Intent, ending: Ending) -> None:
        """Count a cheat: "right" is refused, "asked" questioned, "wrong" missed."""
        kind = self._kinds.setdefault(intent.kind, Counter())
        self._evidence.setdefault(intent.kind, Counter())[intent.evidence] += 1
        kind["injected"] += 1
        if not intent.visible:
            return
        kind["visible"] += 1
        kind["missed" if ending.worth == "wrong" else "caught"] += 1
        kind["asked"] += ending.worth == "asked"
        self.worth["wrong" if ending.worth == "wrong" else "right"] += 1
        if ending.worth != "right":
            words = " ".join(intent.words)
            self._note(f"{ending.worth}: cheat {intent.kind} ({intent.evidence}) {intent.by} {words}: {ending.note}")

    def compare(self, figures: Iterable[HiddenNumber], words: Words) -> None:
        for figure in figures:
            self.compared[figure.name] += 1
            if figure.true != figure.believed:
                self.mismatches[figure.name] += 1
                said = f"{figure.name} is {figure.true}, the referee says {figure.believed}"
                self._note(f"mismatch: {said}, after {' '.join(words)}")

    def count_question(self, what: str, note: str) -> None:
        """Count a question about honest handling that was no action."""
        self.worth["asked"] += 1
        self.questions[what] += 1
        self._note(f"asked: {what}: {note}")

    def count_insistence(self, note: str) -> None:
        """Count a refusal of a restored table."""
        self.accusations += 1
        self._note(f"in vain: {note}")

    def jam(self, note: str) -> None:
        self.stuck += 1
        self._note(f"stuck: {note}")

    def counts(self) -> Counts:
        return Counts(dict(sorted(self.compared.items())), dict(sorted(self.mismatches.items())))

    def cheats(self) -> Cheats:
        kinds = {
            name: Kind(
                **{field: count[field] for field in _COUNTED}, evidence=dict(sorted(self._evidence[name].items()))
            )
            for name, count in sorted(self._kinds.items())
        }
        totals = {field: sum(getattr(kind, field) for kind in kinds.values()) for field in _COUNTED if field != "asked"}
        return Cheats(**totals, by_kind=kinds)

    def merge(self, other: Tally, match: int | None = None) -> None:
        """Add another tally, with its match number in notes."""
        self.actions += other.actions
        self.presses += other.presses
        self.accusations += other.accusations
        self.stuck += other.stuck
        self.put_right += other.put_right
        self.notes += other.notes if match is None else [f"match {match}, {note}" for note in other.notes]
        self.worth += other.worth
        self.questions += other.questions
        self.compared += other.compared
        self.mismatches += other.mismatches
        for name, count in other._kinds.items():
            self._kinds[name] = self._kinds.get(name, Counter()) + count
            self._evidence[name] = self._evidence.get(name, Counter()) + other._evidence[name]

    def _note(self, words: str) -> None:
        self.notes.append(f"{self._clock():.1f} s: {words}")


_COUNTED = ("injected", "visible", "caught", "missed", "asked")


def merge_tallies(tallies: Mapping[int, Tally]) -> Tally:
    total = Tally()
    for number, tally in sorted(tallies.items()):
        total.merge(tally, number)
    return total


def result(game: str, matches: int, tally: Tally, seconds: float, details: D, frames: int = 0) -> Result[D]:
    """Return the figures. seconds: wall time."""
    return Result(
        game=game,
        matches=matches,
        actions=tally.actions,
        verdicts=Verdicts(**{worth: tally.worth[worth] for worth in ("right", "wrong", "asked")}),
        cheats=tally.cheats(),
        false_accusations=tally.accusations,
        frames=frames,
        seconds=round(seconds, 1),
        presses_per_action=round(tally.presses / max(1, tally.actions), 2),
        counts=tally.counts(),
        details=details,
    )


def count_values(values: Iterable[str]) -> dict[str, int]:
    """Count values, without empty ones."""
    return {value: count for value, count in sorted(Counter(values).items()) if value}
