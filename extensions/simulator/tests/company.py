"""The same people through an evening of several matches: they sit where displays call them, and keep a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from device.key_gestures import Button
from device.session.table import SHARED, KnownGame
from engine.game import OptionValue
from engine.table import Seat
from engine.text import Text, say
from engine.view import Line
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players import menus
from referee_simulator.players.menus import NotThere
from referee_simulator.players.pressers import Habits, Pressers
from referee_simulator.players.world import Course, Pause, Tap

_SITS = say("{seat}: {player}", seat="", player="").message


class Company(Pressers):
    """Everybody of one evening. They know each other by what displays call them.

    met: who sat at a match, by match; won: matches that each of them has won, as they saw it.
    """

    def __init__(self, world: Timed, known: KnownGame, seats: int, seed: int, habits: Habits | None = None) -> None:
        super().__init__(world, known, seats, seed, habits)
        self._sits: dict[Seat, Text] = {}
        self.met: list[tuple[Text, ...]] = []
        self.won = Counter[Text]()

    def gather(self, what: Text, options: Mapping[str, OptionValue]) -> Course:
        """From power-on to the first turn. what: the evening, as its line reads."""
        setting = menus.set_up(self._world, self._host, self._known.spec, self._count, options, what)
        yield from self._called(setting)

    def play(self, line: Text, most: int = 40) -> Course:
        """From a turn, or the end of a match, to the end of the evening, or of so many matches. line: what they choose
        after each."""
        try:
            yield Tap(self._host, Button.BACK)  # after a power cut a panel that goes round is nobody's until a press
            for _ in range(most):
                yield Pause(1.0)
                if self._offers(line):
                    yield from self._go_on(line)
                yield from self._play_turn()
                self._keep_score()
                if self.tally.stuck or not self._offers(line):
                    break
        except NotThere as lost:
            self.tally.jam(str(lost)[:600])

    def come_back(self, world: Timed) -> None:
        """The table was switched off, and on again."""
        self._world = world

    def read(self) -> list[Text]:
        """What the table's display says: its status, and each line."""
        screen = self._world.screen("table")
        lines = [panel.text for panel in screen.panels if isinstance(panel, Line)]
        return [*((screen.status,) if screen.status else ()), *lines]

    @property
    def _host(self) -> str:
        """The panel at which the questions of all are answered."""
        return SHARED if self._shared else self._panels[0]

    @property
    def _panels(self) -> list[str]:
        return sorted(name for name in self._world.oleds if name != "table")

    def _called(self, course: Course) -> Course:
        """They look where each of them has to sit, while somebody presses."""
        for wish in course:
            for panel in self._world.screen(self._host).panels:
                if isinstance(panel, Line) and panel.text.message == _SITS:
                    called = dict(panel.text.args)
                    who = called["player"]
                    assert isinstance(who, Text)
                    self._sits[str(called["seat"]).lower()] = who
            yield wish

    def _offers(self, line: Text) -> bool:
        menu = self._world.screen(self._host).menu
        return menu is not None and line in menu.items

    def _go_on(self, line: Text) -> Course:
        yield from menus.pick(self._world, self._host, lambda text: text == line)
        yield from self._called(menus.start(self._world, self._host))
        yield Pause(1.0)
        self._match, self._meant, self._read = None, [], 0

    def _keep_score(self) -> None:
        result = self._now.result
        if result is None:
            return
        self.met.append(tuple(self._sits[seat] for seat in self._now.start.seats))
        self.won.update(self._sits[seat] for seat in result.winners)
