"""What the automatic opponent knows when it must decide: nothing that a player in its seat would not (X71)."""

from __future__ import annotations

import msgspec

from engine.planetx.ending import gap
from engine.planetx.facts import Fact
from engine.planetx.judge import most_theories
from engine.planetx.knowledge import knowledge
from engine.planetx.state import Acting, Ending, Placing, Pledging, State, placeable, player_of, visible
from engine.table import Seat


class Situation(msgspec.Struct, frozen=True):
    """A seat's own view, as data.

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


def situation(state: State, seat: Seat) -> Situation:
    """The situation of a seat that must decide."""
    player, phase = player_of(state, seat), state.phase
    tasks = {Acting: "act", Pledging: "pledge", Placing: "place", Ending: "end"}
    researched = {answer.fact.id for answer in player.answers}
    return Situation(
        mode=state.rules.mode,
        task=tasks.get(type(phase), "act"),
        known=knowledge(state, seat),
        visible=visible(state),
        targets=player.targets,
        may_research=player.last != "research",
        topics=tuple(fact.id for fact in state.game.topics if fact.id not in researched),
        placeable=placeable(state, seat) if not isinstance(phase, Acting) else (),
        theories=phase.left[0][1] if isinstance(phase, Ending) else most_theories(state, seat),
        behind=gap(state, player),
        begun=isinstance(phase, Ending) and phase.begun,
    )
