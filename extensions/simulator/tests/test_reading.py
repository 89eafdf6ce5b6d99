"""Simulated players read what is asked, also when it changes under their eyes."""

from __future__ import annotations

import msgspec

from device.key_gestures import Button
from device.screens.screen import BLANK, Menu, Screen
from engine.entry import Entry
from engine.text import Text, say
from referee_simulator.players import reading
from referee_simulator.players.world import Pause, Tap
from referee_simulator.table.virtual import VirtualTable

TRUTH = "A: Lay a card"


def asking(*answers: str) -> Screen:
    items = (*map(Text, answers), say("Something else"))
    return msgspec.structs.replace(BLANK, prompt=say("What happened?"), menu=Menu(items, 0))


class Asked:
    """One panel that asks, and asks something else as soon as somebody has read the first question."""

    def __init__(self, *questions: Screen) -> None:
        self.now, self.chosen = 0.0, list[str]()
        self._screen, *self._next = questions

    def screen(self, panel: str) -> Screen:
        return self._screen if panel == "a" else BLANK

    def entries(self) -> tuple[Entry, ...]:
        return ()

    @property
    def table(self) -> VirtualTable:
        raise AssertionError("nobody looks at the table to answer")

    def answered(self) -> list[str]:
        """What is chosen, press by press."""
        for wish in reading.answer(self, ("a", "b"), (TRUTH,)):
            if isinstance(wish, Pause) and self._next:
                self._screen = self._next.pop(0)
            if isinstance(wish, Tap):
                self._press(wish.button)
        return self.chosen

    def _press(self, button: Button) -> None:
        menu = self._screen.menu
        assert menu is not None
        if button is Button.CHOOSE:
            self.chosen.append(str(menu.items[menu.cursor]))
            self._screen = BLANK
        else:
            turned = msgspec.structs.replace(menu, cursor=(menu.cursor + 1) % len(menu.items))
            self._screen = msgspec.structs.replace(self._screen, menu=turned)


def test_the_true_answer_is_chosen_where_it_is_offered() -> None:
    assert Asked(asking("No move was made", TRUTH)).answered() == [TRUTH]
    assert Asked(asking("No move was made")).answered() == ["Something else"]


def test_a_question_that_comes_in_place_of_another_is_read_anew() -> None:
    assert Asked(asking("No move was made", TRUTH), asking("Done")).answered() == ["Something else"]


def test_a_question_that_goes_needs_no_answer() -> None:
    assert Asked(asking("No move was made", TRUTH), BLANK).answered() == []
