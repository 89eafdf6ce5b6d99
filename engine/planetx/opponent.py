"""The automatic opponent: it filters all boards by what it was told and asks what tells most per time (X70, X71)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.errors import Invalid
from engine.game import Options
from engine.planetx.ending import Ending, LastLocate, LastTheory, Locate, NoMore, gap
from engine.planetx.facts import Fact
from engine.planetx.knowledge import fitting, knowledge
from engine.planetx.match import Order, Phase, State, player_of
from engine.planetx.questions import Question, Research, Survey, Target, may_bound, may_research
from engine.planetx.sky import MODES, Boards, Mode, wrap
from engine.planetx.theories import Pass, Placing, Pledge, Pledging, Submit, most_theories, placeable
from engine.planetx.track import Acting, visible
from engine.table import SEATS, Seat
from engine.text import say

Sky = NDArray[np.uint8]
"""Boards as letters, shape (boards, sectors)."""


def seat_of(options: Options, seats: tuple[Seat, ...]) -> Seat | None:
    """The automatic opponent's seat, if there is one. Raises Invalid if the options do not go together."""
    if options["opponent"] == "none":
        return None
    if len(seats) != 1:
        raise Invalid(say("The automatic opponent plays against one player."), ("X70",))
    if options["app_only"] is True:
        raise Invalid(say("The automatic opponent needs the referee to keep the time track."), ("X71",))
    return next(seat for seat in SEATS if seat not in seats)


# --- what it knows when it must decide: nothing that a player in its seat would not


class Situation(msgspec.Struct, frozen=True):
    """A seat's own view, as data (X71).

    task: "act", "pledge", "place" or "end". topics: letters of the topics not yet researched. theories: how many it may
    submit now. behind: sectors behind the finder, in the end. begun: the last move is theories.
    """

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


_TASKS: dict[type[Phase], str] = {Acting: "act", Pledging: "pledge", Placing: "place", Ending: "end"}


def situation(state: State, seat: Seat) -> Situation:
    """The situation of a seat that must decide."""
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
        theories=phase.left[0][1] if isinstance(phase, Ending) else most_theories(state, seat),
        behind=gap(state, player),
        begun=isinstance(phase, Ending) and phase.begun,
    )


# --- how it decides


class Strength(msgspec.Struct, frozen=True):
    """How well it reasons.

    sample: so many of the fitting boards stand for all when questions are weighed. every: it thinks of every so-many-th
    question. targets: it knows their use. research: the bits that it expects of a topic. locate, submit: how likely it
    must be that a Locate, or a theory, is right.
    """

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

_WORTH = {"A": 2, "C": 3, "G": 4, "D": 3}


def decide(case: Situation, strength: str) -> Order:
    """A legal action, the same for the same situation (X71)."""
    skill = STRENGTHS[strength]
    boards = fitting(case.mode, case.known)
    if case.task == "act":
        return _ask(case, skill, boards)
    if case.task == "end":
        return _last_move(case, boards)
    theories = _theories(case, skill.submit, boards)
    if case.task == "pledge":
        count = min(case.theories, len({theory.sector for theory in theories}))
        return Pledge(count) if count else Pass()
    return theories[0] if theories else Submit(*case.placeable[0])


def _ask(case: Situation, skill: Strength, boards: Boards) -> Question:
    """The question that tells most about Planet X and its neighbours per time, or Locate once it is likely enough."""
    mode = MODES[case.mode]
    claim, chance = _best_claim(mode, boards)
    if chance >= skill.locate:
        return claim
    sky = _sample(boards, skill.sample)
    claims = _claims(sky)
    best: tuple[float, Question] = (0.0, claim)
    if case.may_research and case.topics:
        research = Research(case.topics[0])
        best = (min(skill.research, 0.5 * np.log2(len(boards))) / research.cost(mode.sectors), research)
    for number, (action, answers) in enumerate(questions(case, mode, sky)):
        if number % skill.every or (isinstance(action, Target) and not skill.targets):
            continue
        value = _told(answers, claims) / action.cost(mode.sectors)
        if value > best[0] + 1e-9:
            best = (value, action)
    return best[1]


def questions(case: Situation, mode: Mode, sky: Sky) -> Iterator[tuple[Question, NDArray[np.int64]]]:
    """Every survey and target that is legal now: the action, its answer on each board (a number, a letter's code)."""
    shown = np.where(sky == ord("X"), np.uint8(ord("E")), sky)[:, [sector - 1 for sector in case.visible]]
    for kind in "ACDEG":
        total = np.concatenate([np.zeros((len(sky), 1), np.int64), np.cumsum(shown == ord(kind), axis=1)], axis=1)
        ends = [k for k, s in enumerate(case.visible) if may_bound(mode, kind, s)]
        for i in ends:
            for j in (k for k in ends if k >= i):
                yield Survey(kind, case.visible[i], case.visible[j]), total[:, j + 1] - total[:, i]
    if case.targets:
        for k, sector in enumerate(case.visible):
            yield Target(sector), shown[:, k].astype(np.int64)


def _told(answers: NDArray[np.int64], claims: NDArray[np.int64]) -> float:
    """Bits that the answers tell about what Locate must name, and a quarter of what they tell besides."""
    whole = _entropy(answers)
    joint = _entropy(answers * (int(claims.max()) + 1) + claims)
    about = whole + _entropy(claims) - joint
    return about + 0.25 * (whole - about)


def _entropy(values: NDArray[np.int64]) -> float:
    """In bits."""
    share = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(share * np.log2(share)).sum())


def _claims(sky: Sky) -> NDArray[np.int64]:
    """What Locate would have to name on each board, as a number."""
    sector = np.argmax(sky == ord("X"), axis=1)
    rows = np.arange(len(sky))
    before, after = sky[rows, sector - 1], sky[rows, (sector + 1) % sky.shape[1]]
    found = np.unique(sector * 65536 + before.astype(np.int64) * 256 + after, return_inverse=True)[1]
    return np.asarray(found, np.int64).reshape(-1)


def _best_claim(mode: Mode, boards: Boards) -> tuple[Locate, float]:
    """The most likely Locate, and its probability."""
    sky = _sample(boards, 4096)
    sector = np.argmax(sky == ord("X"), axis=1)
    rows = np.arange(len(sky))
    named = zip(
        sector.tolist(), sky[rows, sector - 1].tolist(), sky[rows, (sector + 1) % mode.sectors].tolist(), strict=True
    )
    (number, before, after), count = Counter(named).most_common(1)[0]
    return Locate(wrap(number + 1, mode.sectors), chr(before), chr(after)), count / len(sky)


def _theories(case: Situation, sure: float, boards: Boards) -> list[Submit]:
    """The theories that are likely enough, the likeliest first, one a sector."""
    sky = _sample(boards, 4096)
    chances = [(float((sky[:, sector - 1] == ord(kind)).mean()), sector, kind) for sector, kind in case.placeable]
    likely = sorted((t for t in chances if t[0] >= sure), key=lambda t: (-t[0], -_WORTH[t[2]], t[1]))
    return [Submit(sector, kind) for _, sector, kind in likely]


def _last_move(case: Situation, boards: Boards) -> Order:
    """Whatever promises most points."""
    claim, chance = _best_claim(MODES[case.mode], boards)
    sky = _sample(boards, 4096)
    worth = sorted((float((sky[:, s - 1] == ord(kind)).mean()) * _WORTH[kind], s, kind) for s, kind in case.placeable)
    theories = sum(value for value, _, _ in worth[-case.theories :])
    if not case.begun and chance * min(10, 2 * case.behind) >= theories:
        return LastLocate(claim.sector, claim.before, claim.beyond)
    return LastTheory(worth[-1][1], worth[-1][2]) if worth else NoMore()


def _sample(boards: Boards, most: int) -> Sky:
    """Evenly picked boards, as letters."""
    step = -(-len(boards) // most)
    return boards.where(np.arange(0, len(boards), step, dtype=np.intp)).spelt()
