"""The judge of simulated matches: compares what was truly done with what the referee made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

import msgspec

from engine.dealer import HiddenNumber
from engine.game import Words
from referee_simulator.players.decisions import Intent


class Verdicts(msgspec.Struct, frozen=True):
    """Verdicts by what they were worth: right, wrong, or a question."""

    right: int = 0
    wrong: int = 0
    asked: int = 0


class Kind(msgspec.Struct, frozen=True):
    """One kind of cheat: how often it was tried and could be seen, what revealed it, how it ended.

    asked: of the caught ones, those that the referee did not refuse by itself, but asked about.
    """

    injected: int = 0
    visible: int = 0
    caught: int = 0
    missed: int = 0
    asked: int = 0
    evidence: dict[str, int] = {}


class Cheats(msgspec.Struct, frozen=True):
    """All cheats; `caught` and `missed` count the visible ones, `by_kind` tells all."""

    injected: int = 0
    visible: int = 0
    caught: int = 0
    missed: int = 0
    by_kind: dict[str, Kind] = {}


class Counts(msgspec.Struct, frozen=True):
    """Numbers that the referee keeps (stamina, cards in a pile), after every action: how often each was held against
    the simulator's own truth, and how often it was another.
    """

    compared: dict[str, int] = {}
    mismatches: dict[str, int] = {}


class Details(msgspec.Struct, frozen=True):
    """How the figures came about.

    seats, orders: matches by how many play and by who declares. hands: share of frames with a hand in them. stuck:
    matches that could not be played to an end. put_right: how often somebody had to say at the buttons that everything
    was put right, because the referee went on refusing what was. asked: questions by the first word of the action.
    notes: whatever was not right, each with the number of its match (as `--only` takes it) and the second.
    """

    scene: str
    seed: int
    cheat_rate: float
    seats: dict[str, int]
    orders: dict[str, int]
    hands: float
    simulated_seconds: float
    stuck: int
    put_right: int = 0
    asked: dict[str, int] = {}
    notes: tuple[str, ...] = ()


class Conduct(msgspec.Struct, frozen=True):
    """How the figures of matches at the buttons alone came about. resigned: matches that random play did not end.
    notes: whatever was not right."""

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
    """What a simulation found; the figures that `referee simulate --json` prints.

    verdicts: of honest actions and visible cheats. asked: honest actions that needed a question. details: how the
    figures came about, as each kind of simulation tells it.
    """

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
    """How the referee took one deed: the worth of its verdict, and whether somebody was accused wrongly."""

    worth: str  # "right", "wrong" or "asked"
    accused: bool = False
    note: str = ""


class Tally:
    """Counts deeds and their endings. Each note begins with the second of the match in which it was taken."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        """clock: seconds since the match's power-on; left behind when a tally goes to another process."""
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
        """An honest action was taken so."""
        self.actions += 1
        self.worth[ending.worth] += 1
        self.accusations += ending.accused
        if ending.worth == "asked":
            self.questions[intent.words[0] if intent.words else intent.kind] += 1
        if ending.worth != "right":
            self._note(f"{ending.worth}: {intent.by} {' '.join(intent.words)}: {ending.note}")

    def cheat(self, intent: Intent, ending: Ending) -> None:
        """A cheat was taken so: "right" if it was refused, "asked" if the referee asked, "wrong" if it was believed."""
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
        """The referee keeps these numbers after an action."""
        for figure in figures:
            self.compared[figure.name] += 1
            if figure.true != figure.believed:
                self.mismatches[figure.name] += 1
                said = f"{figure.name} is {figure.true}, the referee says {figure.believed}"
                self._note(f"mismatch: {said}, after {' '.join(words)}")

    def asked(self, what: str, note: str) -> None:
        """The referee had to ask what honest hands did that were no action."""
        self.worth["asked"] += 1
        self.questions[what] += 1
        self._note(f"asked: {what}: {note}")

    def insisted(self, note: str) -> None:
        """Everything was put back, and is refused all the same."""
        self.accusations += 1
        self._note(f"in vain: {note}")

    def jam(self, note: str) -> None:
        """The match cannot go on."""
        self.stuck += 1
        self._note(f"stuck: {note}")

    def counts(self) -> Counts:
        """The numbers that the referee keeps, against the truth."""
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
        """Adds what another table counted; its notes are told as those of this match of the plan."""
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


def merged(tallies: Mapping[int, Tally]) -> Tally:
    """Merge the results of all matches, by their numbers in the plan."""
    total = Tally()
    for number, tally in sorted(tallies.items()):
        total.merge(tally, number)
    return total


def result(game: str, matches: int, tally: Tally, seconds: float, details: D, frames: int = 0) -> Result[D]:
    """The figures of so many matches. seconds: that it took to play them."""
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


def counted(values: Iterable[str]) -> dict[str, int]:
    """Count how often each value comes, without None."""
    return {value: count for value, count in sorted(Counter(values).items()) if value}
