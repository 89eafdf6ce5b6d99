"""Reads displays for simulated players: refusals, questions and doubts, with answers."""

from __future__ import annotations

from engine.catalogue import AnyGame
from engine.grammar import in_words
from engine.table import Seat
from engine.text import say
from referee_simulator.players import menus
from referee_simulator.players.decisions import Intent
from referee_simulator.players.world import Course, Pause, World

DOUBT = say("Put back. If hidden pieces were swapped, correct it.")
"""Shown when play continues although something was lost from sight."""

LOOKED_AT = say("Put back. Somebody may have looked at it.")
"""Shown when a refused hidden piece is back."""

READINGS = 3
"""Attempts to answer, as questions may change while read."""

_WAITS = frozenset({say("Not finished yet."), say("The camera can't see everything clearly.")})
_RIGHT = "{seat}: everything is put right."


def alert(world: World, seats: tuple[Seat, ...]) -> str | None:
    alerts = (world.screen(seat).alert for seat in seats)
    shown = {str(text) for text in alerts if text not in (None, DOUBT, LOOKED_AT) and text.message != _RIGHT}
    return min(shown) if shown else None


def looked_at(world: World, seats: tuple[Seat, ...]) -> bool:
    return any(world.screen(seat).alert == LOOKED_AT for seat in seats)


def question(world: World, seats: tuple[Seat, ...]) -> tuple[Seat, tuple[str, ...]] | None:
    for seat in seats:
        screen = world.screen(seat)
        if screen.menu is not None and say("Something else") in screen.menu.items:
            return seat, tuple(str(item) for item in screen.menu.items)
    return None


def is_undecided(world: World, seats: tuple[Seat, ...]) -> bool:
    return any(world.screen(seat).prompt in _WAITS for seat in seats)


def agree_all(world: World, seats: tuple[Seat, ...]) -> Course:
    """Agree at each seat asked for consent. Raises NotThere if it still asks."""
    for seat in seats:
        menu = world.screen(seat).menu
        if menu is not None and say("Agree") in menu.items:
            try:
                yield from menus.pick(world, seat, lambda text: text == say("Agree"))
            except menus.NotThere:  # the proposal went meanwhile
                if asks_consent(world, (seat,)):
                    raise
            yield Pause(0.3)


def asks_consent(world: World, seats: tuple[Seat, ...]) -> bool:
    return any(menu is not None and say("Agree") in menu.items for menu in (world.screen(seat).menu for seat in seats))


def prompts(world: World, seats: tuple[Seat, ...]) -> str:
    return ", ".join(f"{seat}: {world.screen(seat).prompt}" for seat in seats)


def answer(world: World, seats: tuple[Seat, ...], truth: tuple[str, ...]) -> Course:
    """Answer with one of `truth`, else "something else"; do nothing without a question. Raises NotThere after READINGS
    attempts."""
    for left in reversed(range(READINGS)):
        try:
            yield from _answer(world, seats, truth)
            return
        except menus.NotThere:
            if question(world, seats) is None:
                return
            if not left:
                raise


def _answer(world: World, seats: tuple[Seat, ...], truth: tuple[str, ...]) -> Course:
    asked = question(world, seats)
    if asked is None:
        return
    seat, items = asked
    if MORE in items and not set(truth) & set(items):
        yield from menus.pick(world, seat, lambda text: str(text) == MORE)
        seat, items = question(world, seats) or asked
    chosen = next((item for item in truth if item in items), str(say("Something else")))
    yield from menus.pick(world, seat, lambda text: str(text) == chosen)
    yield Pause(0.3)


def truths(game: AnyGame, state: object, intent: Intent) -> tuple[str, ...]:
    """Return an honest deed's menu texts; () for a cheat."""
    if not intent.honest:
        return ()
    words = in_words(lambda prefix: game.choices(state, intent.by, prefix), intent.words)
    return (f"{intent.by.upper()}: {words}", str(say("Done")))


MORE = str(say("Another one..."))
NOTHING = (str(say("No move was made")),)
