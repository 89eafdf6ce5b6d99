"""What everybody hears of an action (X30)."""

from __future__ import annotations

from engine.planetx.actions import Action, Locate
from engine.planetx.names import KIND_OF_WORD, PLURALS, TOPICS
from engine.planetx.reading import words_of
from engine.planetx.sentences import title
from engine.planetx.state import Deed, State
from engine.text import Text, say


def announced(action: Action) -> tuple[str, ...]:
    """The words that everybody hears: of Locate, only that it is one (X30)."""
    return ("locate",) if isinstance(action, Locate) else words_of(action)


def announcement(state: State, deed: Deed) -> Text:
    """An action as everybody hears it."""
    seat, price = deed.seat.upper(), deed.cost
    verb, *words = deed.words
    if verb == "survey":
        name = PLURALS[KIND_OF_WORD[words[0]]]
        return say(
            "{seat} surveys {first} to {last} for {objects} (time {cost}).",
            seat=seat,
            first=words[1],
            last=words[2],
            objects=name,
            cost=price,
        )
    if verb == "target":
        return say("{seat} targets sector {sector} (time {cost}).", seat=seat, sector=words[0], cost=price)
    if verb == "research":
        topic = next(fact for fact in state.game.topics if TOPICS[fact.id] == words[0])
        return say(
            "{seat} researches {topic}, {title} (time {cost}).",
            seat=seat,
            topic=words[0],
            title=title(topic),
            cost=price,
        )
    if deed.success:
        return say("{seat} locates Planet X: success!", seat=seat)
    return say("{seat} tries to locate Planet X and fails.", seat=seat)
