"""Operates menus as a person does: look, press NEXT up to the item, press CHOOSE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import eq
from typing import TypeAlias

from device.key_gestures import Button
from device.screens.screen import Menu
from device.session.sentences import Choices, LineGroup, Row, rows
from device.session.table import LANGUAGES
from engine.catalogue import GameSpec, Option, value_text
from engine.errors import RefereeError
from engine.game import OptionValue, Words
from engine.table import Seat
from engine.text import Text, many, say, who
from referee_simulator.players.world import Course, Hold, Panels, Pause, Tap

PATIENCE = 80

LONG_S = 0.9

READ_S = 0.6

FAR = 3
"""Lines from which NEXT is held."""

WELCOME = say("Welcome back. The clock resumes at the first press.")

LOOKS_S = 0.05
"""Seconds between looks at the cursor while holding a button."""

REACTS_S = 0.2


class NotThere(RefereeError, LookupError):
    """A display does not offer the wanted line."""


Fits: TypeAlias = "Callable[[Text], bool]"


def pick(world: Panels, panel: str, fits: Fits) -> Course:
    """Read the prompt, and choose the line that fits. Raises NotThere."""
    if world.screen(panel).prompt is not None:
        yield Pause(READ_S)
    for _ in range(PATIENCE):
        menu = world.screen(panel).menu
        if menu is None:
            break
        place = next((i for i, text in enumerate(menu.items) if fits(text)), None)
        if place is None:
            break
        if menu.cursor == place:
            yield Tap(panel, Button.CHOOSE)
            return
        steps = (place - menu.cursor) % len(menu.items)
        yield from _run_on(world, panel, menu, steps) if steps >= FAR else iter((Tap(panel, Button.NEXT),))
    raise NotThere(f"panel {panel} does not offer it: {world.screen(panel)}")


def _run_on(world: Panels, panel: str, menu: Menu, steps: int) -> Course:
    count = len(menu.items)
    yield Hold(panel, Button.NEXT, True)
    for _ in range(round(PATIENCE / LOOKS_S)):
        now = world.screen(panel).menu
        if now is None or now.items != menu.items or (now.cursor - menu.cursor) % count >= steps - 1:
            break
        yield Pause(LOOKS_S)
    yield Pause(REACTS_S)
    yield Hold(panel, Button.NEXT, False)


def press(world: Panels, panel: str) -> Course:
    if world.screen(panel).alert is not None:
        yield Pause(READ_S)
    yield Tap(panel, Button.CHOOSE)


def heed(world: Panels, panels: Iterable[str]) -> Course:
    """Dismiss messages at power-on, which starts clocks and opens menus."""
    for panel in panels:
        if world.screen(panel).prompt == WELCOME or world.screen(panel).alert is not None:
            yield Pause(READ_S)
            yield Tap(panel, Button.BACK)


def open_menu(panel: str) -> Course:
    yield Hold(panel, Button.CHOOSE, True)
    yield Pause(LONG_S)
    yield Hold(panel, Button.CHOOSE, False)


def resign(world: Panels, panel: str, seat: Seat) -> Course:
    """Resign in the system menu. Raises NotThere."""
    gives_up = say("{seat} resigns", seat=who(seat))
    yield from open_menu(panel)
    yield from pick(world, panel, lambda text: text == say("Resign"))
    yield from pick(world, panel, lambda text: text == gives_up)


def leave_match(world: Panels, seats: tuple[Seat, ...]) -> Course:
    """Propose at the first seat to end without a result, and agree at the others. Raises NotThere."""
    first, *others = seats
    yield from open_menu(first)
    yield from pick(world, first, lambda text: text == say("End without a result"))
    for seat in others:
        menu = world.screen(seat).menu
        if menu is not None and say("Agree") not in menu.items:  # called away in the middle of an action
            yield from leave(world, seat, asked=say("Agree"))
        yield from pick(world, seat, lambda text: text == say("Agree"))


def rematch(world: Panels, panel: str) -> Course:
    """Choose a rematch on the result page. Raises NotThere."""
    if world.screen(panel).menu is None:
        yield Tap(panel, Button.CHOOSE)
    yield from pick(world, panel, lambda text: text == say("Rematch"))


def enter(world: Panels, panel: str, offers: Choices, words: Words) -> Course:
    """Enter an action word by word; `offers` continues it. Raises NotThere."""
    if world.screen(panel).menu is not None:  # it opened by itself, and is read first
        yield Pause(READ_S)
    for _ in range(2):  # what the referee still awaits may take the first press
        if world.screen(panel).menu is None:
            yield from _open_menu(world, panel, offers, words)
    said: Words = ()
    while said != words:
        offered = offers(said)
        if len(offered) == 1 and not offered[0].final:
            said = (*said, offered[0].word)  # a word without choice is passed over
            continue
        row = _row(rows(offers, said), words)
        while isinstance(row, LineGroup):
            yield from pick(world, panel, partial(eq, row.said))
            row = _row(row.rows, words)
        if row is None:
            raise NotThere(f"{' '.join(words)} is not on the menu of panel {panel}")
        yield from pick(world, panel, partial(eq, row.said))
        if row.costs:
            yield from pick(world, panel, lambda text: text == say("Yes"))
        said = row.words


def _open_menu(world: Panels, panel: str, offers: Choices, words: Words) -> Course:
    said: Words = ()
    while len(offered := offers(said)) == 1 and not offered[0].final:
        said = (*said, offered[0].word)
    found = rows(offers, said)
    if world.screen(panel).alert is not None or not found or _row(found[:1], words) is not None:
        yield from press(world, panel)
    else:
        yield Tap(panel, Button.NEXT)


def _row(found: Iterable[Row], words: Words) -> Row | None:
    return next((row for row in found if leads_to(row, words)), None)


def leads_to(row: Row, words: Words) -> bool:
    """Return True if a line, or its group, leads to these words."""
    if isinstance(row, LineGroup):
        return any(leads_to(each, words) for each in row.rows)
    return row.words == words[: len(row.words)]


def leave(world: Panels, panel: str, asked: Text | None = None) -> Course:
    """Go back until no menu is open, or one with the line `asked`; PATIENCE times at most."""
    for _ in range(PATIENCE):
        yield Tap(panel, Button.BACK)
        menu = world.screen(panel).menu
        if menu is None or asked in menu.items:
            return


def _menu(world: Panels, panel: str) -> Menu:
    menu = world.screen(panel).menu
    if menu is None:
        raise NotThere(f"panel {panel} shows no menu: {world.screen(panel)}")
    return menu


def set_up(
    world: Panels,
    panel: str,
    spec: GameSpec,
    seats: int,
    options: Mapping[str, OptionValue],
    evening: Text | None = None,
) -> Course:
    """Set up a match at one panel, from power-on to the first turn. evening: line that chooses several matches. Raises
    NotThere."""
    wanted = {o: options[o.name] for o in spec.options if o.name in options and options[o.name] != o.default}
    pending, alone = dict(wanted), say("Evening: {what}", what=say("One match"))
    for _ in range(PATIENCE):
        if world.entries():
            return
        menu = world.screen(panel).menu
        if menu is None:
            yield from start(world, panel)
        elif evening is not None and alone in menu.items:
            yield from pick(world, panel, lambda text: text == alone)
            yield from pick(world, panel, lambda text: text == evening)
        else:
            yield from _question(world, panel, (Text(spec.title), _count(seats)), pending)
    raise NotThere(f"the set-up does not come to an end: {world.screen(panel)}")


def _count(seats: int) -> Text:
    return many("1 player", "{count} players", seats)


def start(world: Panels, panel: str) -> Course:
    """Press Start once the table is in order, or after a while."""
    for _ in range(8):
        prompt = world.screen(panel).prompt
        if prompt == say("CHOOSE: {answer}", answer=say("Start")):
            break
        yield Pause(1.0)
    yield Pause(READ_S)
    yield Tap(panel, Button.CHOOSE)


def _question(world: Panels, panel: str, known: tuple[Text, ...], pending: dict[Option, OptionValue]) -> Course:
    menu = _menu(world, panel)
    if Text(LANGUAGES[0][1]) in menu.items:
        yield Tap(panel, Button.CHOOSE)  # the table's own language is under the cursor
        return
    direct = next((text for text in known if text in menu.items), None)
    if direct is not None:
        yield from pick(world, panel, lambda text: text == direct)
        return
    option = next((o for o in pending if any(_asks(text, o) for text in menu.items)), None)
    if option is not None:
        yield from pick(world, panel, lambda text: _asks(text, option))
        yield from pick(world, panel, lambda text: text == value_text(option, pending[option]))
        del pending[option]
    elif pending and say("More rules") in menu.items:
        yield from pick(world, panel, lambda text: text == say("More rules"))
    elif say("Continue") in menu.items:
        yield from pick(world, panel, lambda text: text == say("Continue"))
    else:
        yield Tap(panel, Button.CHOOSE)  # the clocks: the first is the table's own


def _asks(text: Text, option: Option) -> bool:
    return text.message == "{option}: {value}" and dict(text.args)["option"] == Text(option.title)
