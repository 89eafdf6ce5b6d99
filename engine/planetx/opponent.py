"""The automatic opponent: it filters all boards by its knowledge and maximizes information per time (X70, X71)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import log2

import msgspec

from engine.errors import Invalid
from engine.game import Options
from engine.planetx.boards import Boards, Sample, tally
from engine.planetx.ending import EndPhase, LastLocate, LastTheory, Locate, NoMore, gap
from engine.planetx.facts import Fact
from engine.planetx.knowledge import fitting, knowledge
from engine.planetx.match import Order, Phase, State, player_of
from engine.planetx.questions import Inquiry, Research, Survey, Target, may_bound, may_research
from engine.planetx.sky import KINDS, MODES, SkyMode
from engine.planetx.theories import PassTheories, Placing, Pledge, Pledging, Submit, most_theories, placeable
from engine.planetx.track import Acting, visible
from engine.table import SEATS, Seat
from engine.text import say


def seat_of(options: Options, seats: tuple[Seat, ...]) -> Seat | None:
    """Return the opponent's seat, or None. Raises Invalid for options that do not fit."""
    if options["opponent"] == "none":
        return None
    if len(seats) != 1:
        raise Invalid(say("The automatic opponent plays against one player."), ("X70",))
    if options["app_only"] is True:
        raise Invalid(say("The automatic opponent needs the referee to keep the time track."), ("X71",))
    return next(seat for seat in SEATS if seat not in seats)


# --- what it knows: no more than a player in its seat


class Situation(msgspec.Struct, frozen=True):
    """A seat's own knowledge, as data (X71).

    task: "act", "pledge", "place" or "end"
    topics: letters still to research
    theories: number that it may place
    behind: sectors behind the finder
    begun: its last move is theories"""

    mode: str
    task: str
    known: tuple[Fact, ...]
    visible: tuple[int, ...]
    targets: int
    may_research: bool
    topics: tuple[str, ...]
    placeable: tuple[tuple[int, str], ...]
    theories: int
    behind: int = 0
    begun: bool = False


_TASKS: dict[type[Phase], str] = {Acting: "act", Pledging: "pledge", Placing: "place", EndPhase: "end"}


def situation(state: State, seat: Seat) -> Situation:
    player, phase = player_of(state, seat), state.phase
    researched = {answer.fact.id for answer in player.answers}
    return Situation(
        mode=state.rules.mode,
        task=_TASKS.get(type(phase), "act"),
        known=knowledge(state, seat),
        visible=visible(state),
        targets=player.targets,
        may_research=may_research(player),
        topics=tuple(fact.id for fact in state.game.topics if fact.id not in researched),
        placeable=placeable(state, seat) if not isinstance(phase, Acting) else (),
        theories=phase.left[0][1] if isinstance(phase, EndPhase) else most_theories(state, seat),
        behind=gap(state, player),
        begun=isinstance(phase, EndPhase) and phase.begun,
    )


# --- how it decides


class Strength(msgspec.Struct, frozen=True):
    """Parameters of its reasoning.

    sample: boards used to weigh questions
    every: consider every n-th question
    research: expected bits of a topic
    locate, submit: least probability of a claim"""

    sample: int
    targets: bool
    research: float
    locate: float
    submit: float
    every: int = 1


STRENGTHS = {
    "novice": Strength(sample=12, targets=False, research=0.2, locate=0.97, submit=0.97, every=5),
    "astronomer": Strength(sample=80, targets=True, research=0.6, locate=0.9, submit=0.85, every=2),
    "professor": Strength(sample=600, targets=True, research=1.5, locate=0.6, submit=0.4),
}

MANY = 4096

_WORTH = {"A": 2, "C": 3, "G": 4, "D": 3}


def decide(case: Situation, strength: str) -> Order:
    """Return a legal action, determined by situation and strength (X71)."""
    skill = STRENGTHS[strength]
    boards = fitting(case.mode, case.known)
    if case.task == "act":
        return _ask(case, skill, boards)
    if case.task == "end":
        return _last_move(case, boards)
    theories = _theories(case, skill.submit, boards)
    if case.task == "pledge":
        count = min(case.theories, len({theory.sector for theory in theories}))
        return Pledge(count) if count else PassTheories()
    return theories[0] if theories else Submit(*case.placeable[0])


def _ask(case: Situation, skill: Strength, boards: Boards) -> Inquiry:
    mode = MODES[case.mode]
    claim, chance = _best_claim(boards)
    if chance >= skill.locate:
        return claim
    sample = boards.sample(skill.sample)
    claims = tuple(_claims(sample).values())
    best: tuple[float, Inquiry] = (0.0, claim)
    if case.may_research and case.topics:
        research = Research(case.topics[0])
        best = (min(skill.research, 0.5 * log2(len(boards))) / research.cost(mode.sectors), research)
    for number, (action, answers) in enumerate(questions(case, mode, sample)):
        if number % skill.every or (isinstance(action, Target) and not skill.targets):
            continue
        value = _answer_bits(tuple(answers.values()), claims, sample.number) / action.cost(mode.sectors)
        if value > best[0] + 1e-9:
            best = (value, action)
    return best[1]


def questions(case: Situation, mode: SkyMode, sample: Sample) -> Iterator[tuple[Inquiry, Mapping[int | str, int]]]:
    """Yield each legal survey and target, with the boards of each answer."""
    for kind in "ACDEG":
        ends = {k for k, sector in enumerate(case.visible) if may_bound(mode, kind, sector)}
        for first in sorted(ends):
            counted: tuple[int, ...] = ((1 << sample.number) - 1,)
            for k, sector in enumerate(case.visible[first:], first):
                counted = tally(counted, _count_shown(sample, kind, sector))
                if k in ends:
                    yield Survey(kind, case.visible[first], sector), dict(enumerate(counted))
    if case.targets:
        for sector in case.visible:
            yield Target(sector), {kind: _count_shown(sample, kind, sector) for kind in "ACDEG"}


def _count_shown(sample: Sample, kind: str, sector: int) -> int:
    found = sample.at[kind][sector - 1]
    return found | sample.at["X"][sector - 1] if kind == "E" else found


def _answer_bits(answers: Collection[int], claims: Collection[int], number: int) -> float:
    whole = _entropy((boards.bit_count() for boards in answers), number)
    joint = _entropy(((boards & claim).bit_count() for boards in answers if boards for claim in claims), number)
    about = whole + _entropy((claim.bit_count() for claim in claims), number) - joint
    return about + 0.25 * (whole - about)


def _entropy(parts: Iterable[int], whole: int) -> float:
    return -sum(part / whole * log2(part / whole) for part in parts if part)


def _claims(sample: Sample) -> dict[Locate, int]:
    found: dict[Locate, int] = {}
    sectors = len(sample.at["X"])
    for sector in range(1, sectors + 1):
        for before in KINDS:
            near = sample.at["X"][sector - 1] & sample.at[before][sector - 2]
            for beyond in KINDS if near else "":
                if boards := near & sample.at[beyond][sector % sectors]:
                    found[Locate(sector, before, beyond)] = boards
    return found


def _best_claim(boards: Boards) -> tuple[Locate, float]:
    sample = boards.sample(MANY)
    claim, right = max(_claims(sample).items(), key=lambda each: (each[1].bit_count(), each[1]))
    return claim, right.bit_count() / sample.number


def _chance(sample: Sample, sector: int, kind: str) -> float:
    return sample.at[kind][sector - 1].bit_count() / sample.number


def _theories(case: Situation, sure: float, boards: Boards) -> list[Submit]:
    sample = boards.sample(MANY)
    chances = [(_chance(sample, sector, kind), sector, kind) for sector, kind in case.placeable]
    likely = sorted((t for t in chances if t[0] >= sure), key=lambda t: (-t[0], -_WORTH[t[2]], t[1]))
    return [Submit(sector, kind) for _, sector, kind in likely]


def _last_move(case: Situation, boards: Boards) -> Order:
    claim, chance = _best_claim(boards)
    sample = boards.sample(MANY)
    worth = sorted((_chance(sample, s, kind) * _WORTH[kind], s, kind) for s, kind in case.placeable)
    theories = sum(value for value, _, _ in worth[-case.theories :])
    if not case.begun and chance * min(10, 2 * case.behind) >= theories:
        return LastLocate(claim.sector, claim.before, claim.beyond)
    return LastTheory(worth[-1][1], worth[-1][2]) if worth else NoMore()
