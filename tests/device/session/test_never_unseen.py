"""Whatever players press while anything may happen: no press brings about what did not stand there when it began.

The judge here knows nothing of `device.session.aim`: it looks at the screens alone.
"""

from __future__ import annotations

import random

import pytest

from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.messages import Append, Leave, Tick
from device.session.screens import screens
from device.session.state import Proposal, ProposalKind, Setup
from engine.arbiter import ActionStep, Question
from engine.entry import Act, Settle, Source
from engine.grammar import wander
from engine.text import say
from tests.device.session.conftest import Mat, Seated, tellstones
from tests.device.session.test_offers import stood

Read = tuple[object, ...]


def read(screen: Screen) -> Read:
    """What a press would take for granted: the line under the cursor, the way to it, and what is asked or said."""
    menu = screen.menu
    line = None if menu is None else menu.items[menu.cursor]
    asked = str(screen.prompt).split("?")[0]  # what the camera does not see beside is another matter
    return (line, menu and menu.path, asked if menu or screen.alert else None, screen.alert)


class Judge:
    """Drives a table, and remembers what each panel showed since when, and on what each finger went down."""

    def __init__(self, table: Seated, seed: int) -> None:
        self.table, self.dice = table, random.Random(seed)
        self.since: dict[str, tuple[Read, float]] = {}
        self.decided = self.missed = 0
        self.look()

    def look(self) -> None:
        for name, screen in screens(self.table.table, self.table.session).items():
            if name not in self.since or self.since[name][0] != read(screen):
                self.since[name] = (read(screen), self.table.now)

    def press(self, seat: str, button: Button) -> None:
        """A finger goes down, something may happen, and it comes up again."""
        down = self.since[seat][0]
        self.give(Key(seat, button, Gesture.DOWN, self.table.now))
        while self.dice.random() < 0.3:
            self.disturb(seat, button)
        before = read(self.table.screen(seat))
        self.give(Key(seat, button, Gesture.UP, self.table.now))
        self.give(Key(seat, button, Gesture.PRESS, self.table.now))
        if any(isinstance(e, Leave) or (isinstance(e, Append) and by_hand(e)) for e in self.table.effects):
            self.decided += 1
            assert down == before, (down, before, self.table.effects)
        self.missed += down != before

    def disturb(self, held: str, button: Button) -> None:
        """Something under a finger that is down: another button or panel is pressed, the camera asks or objects."""
        self.table.now = round(self.table.now + self.dice.choice((0.01, 0.1, 0.7)), 3)
        if isinstance(self.table.session.stage, Setup):
            return
        what, play = self.dice.random(), self.table.play
        if what < 0.3:
            self.give(Key("b" if held == "a" else "a", Button.CHOOSE, Gesture.LONG, self.table.now))
        elif what < 0.6:
            seat, other = self.dice.choice([(s, b) for s in "ab" for b in Button if (s, b) != (held, button)])
            for gesture in (Gesture.DOWN, Gesture.UP, Gesture.PRESS):
                self.give(Key(seat, other, gesture, self.table.now))
        elif what < 0.7:
            stood(self.table, alert=(say("Not finished yet."),), expires=self.table.now + 0.3, disorder=False)
        elif what < 0.8 and play.match.result is None:
            by = self.dice.choice("ab")
            stood(self.table, proposal=Proposal(ProposalKind.DRAW, by, agreed=frozenset({by})), question=None)
        elif play.match.result is None and play.match.pending is None:
            stood(self.table, question=self.question(), proposal=None)
        self.look()

    def question(self) -> Question:
        known, state = tellstones(), self.table.match.state
        actor = min(known.game.actors(state))
        steps = (ActionStep(actor, wander(known.game, state, actor, self.dice.randrange)) for _ in range(4))
        return Question(actor, tuple((step,) for step in dict.fromkeys(steps)))

    def give(self, given: Key | Tick) -> None:
        self.table.give(given)
        self.look()


def by_hand(append: Append) -> bool:
    """True if it was given at the buttons."""
    return not all(isinstance(entry, Act | Settle) and entry.source is Source.CAMERA for entry in append.entries)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(3))
def test_no_press_decides_what_was_not_there_when_it_began(seed: int, begun: tuple[Seated, Mat]) -> None:
    judge = Judge(begun[0], seed)
    for _ in range(140):
        judge.table.now = round(judge.table.now + judge.dice.choice((0.1, 0.6)), 3)
        seat = judge.dice.choice("ab")
        leafs = judge.table.screen(seat).menu is not None and judge.dice.random() < 0.3
        judge.press(seat, Button.NEXT if leafs else judge.dice.choices((Button.CHOOSE, Button.BACK), (95, 5))[0])
    assert judge.decided > 3
    assert judge.missed > 3
