"""A whole sitting with a session, pressed through at random: what its displays show, one screen after another."""

from __future__ import annotations

import random
from collections.abc import Iterator

from device import games
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.match_start import power_on
from device.session.messages import Tick
from device.session.screens import language_of, screens
from device.session.step import step
from device.session.table import KnownGame, Table


def aim(screen: Screen, dice: random.Random) -> list[Button]:
    """What somebody presses who knows what they want: down to an item of the menu, and choose."""
    if screen.menu is None:
        return dice.choices([[Button.CHOOSE], [Button.NEXT, Button.BACK], [Button.BACK]], (90, 5, 5))[0]
    steps = dice.randrange(len(screen.menu.items))
    return [Button.NEXT] * steps + [Button.CHOOSE]


def sitting(name: str, seed: int, presses: int, language: str = "en") -> Iterator[tuple[str, Screen, str]]:
    """Display, screen and language after every press."""
    spec = games.spec(name)
    table = Table(("a", "b"), {name: KnownGame(spec, *games.build(spec))}, screen=True, language=language)
    dice, now = random.Random(seed), 0.0
    session, _ = power_on(table, (), seed=seed, lots=2, now=now)
    seat, wanted = "a", list[Button]()
    for _ in range(presses):
        if not wanted:
            seat = dice.choice(table.panels)
            wanted = aim(screens(table, session)[seat], dice)
        gesture = Gesture.LONG if dice.random() < 0.01 else Gesture.PRESS
        button = Button.CHOOSE if gesture is Gesture.LONG else wanted.pop(0)
        now += dice.uniform(0.3, 3.0)
        for given in (Tick(now), Key(seat, button, gesture, now)):
            session, _ = step(table, session, given)
            for display, screen in screens(table, session).items():
                yield display, screen, language_of(session, display)
