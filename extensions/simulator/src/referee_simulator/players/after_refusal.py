"""Players' recovery from a wrong refusal: they order the action at the buttons."""

from __future__ import annotations

from engine.entry import Act, Settle
from engine.table import Seat
from engine.text import say
from referee_simulator.players import menus, reading
from referee_simulator.players.circle import Circle
from referee_simulator.players.decisions import Intent
from referee_simulator.players.world import Course, Pause
from referee_simulator.table.ground_truth import Truth

VAIN = 2


def nothing_done(circle: Circle) -> Course:
    """Answer a question although nothing was done, and count it."""
    if (asked := circle.question()) is not None:
        circle.tally.count_question("nothing", str(asked))
        yield from circle.answer(reading.NOTHING)


def put_back(circle: Circle, wanted: Truth, intent: Intent) -> Course:
    """Put everything back, VAIN times at most, until no refusal is shown."""
    now, anew = {body.id: body for body in circle.truth.bodies}, frozenset[int]()
    for _ in range(VAIN):
        yield from circle.restore(wanted, intent, anew)
        anew = frozenset(body.id for body in wanted.bodies if now.get(body.id) != body)
        yield Pause(1.0)
        if circle.alert() is not None or circle.question() is not None:
            yield from circle.timeout()
        if circle.alert() is None:
            return


def put_right(circle: Circle, seat: Seat) -> Course:
    """Report the table as right in the system menu. Raises NotThere."""
    yield from menus.open_menu(seat)
    yield from menus.pick(circle.world, seat, lambda text: text == say("Everything is back in place"))
    circle.tally.put_right += 1
    yield Pause(0.5)
    circle.following()


def insist(circle: Circle, intent: Intent, wanted: Truth, mark: int) -> Course:
    """Put back a misunderstood honest action, then order, carry out and confirm it.

    wanted, mark: table and number of entries before."""
    yield from circle.answer(reading.truths(circle.game, circle.match.state, intent))  # if it is asked about at last
    if any(isinstance(entry, Act) for entry in circle.fresh(mark)):
        yield from confirm_done(circle, intent.by)
        return
    yield from put_back(circle, wanted, intent)
    yield from nothing_done(circle)
    yield from excuse_refusal(circle, intent.by)
    yield from nothing_done(circle)
    circle.following()
    game, state = circle.game, circle.match.state
    yield from menus.enter(circle.world, intent.by, lambda prefix: game.choices(state, intent.by, prefix), intent.words)
    yield Pause(0.2)
    if intent.trace is not None:
        yield from circle.handle(intent, intent.trace, game.layout(state))
        yield from circle.timeout()
        yield from circle.answer(reading.truths(game, state, intent))
    yield from confirm_done(circle, intent.by)


def confirm_done(circle: Circle, seat: Seat) -> Course:
    """Confirm a pending order, and the table if the camera still objects. Raises NotThere."""
    circle.following()
    if circle.match.pending is not None:
        screen = circle.world.screen(circle.match.pending.seat)
        if screen.menu is None:
            yield from menus.press(circle.world, circle.match.pending.seat)
        try:
            yield from menus.pick(circle.world, circle.match.pending.seat, lambda text: text == say("Done"))
        except menus.NotThere:  # it was seen meanwhile
            circle.following()
            if circle.match.pending is not None:
                raise
        yield from circle.timeout()
        circle.following()
    yield from excuse_refusal(circle, seat)


def excuse_refusal(circle: Circle, seat: Seat) -> Course:
    """Overrule any refusal shown. Raises NotThere."""
    if circle.alert() is not None:
        yield from put_right(circle, seat)


def has_settled(circle: Circle, mark: int) -> bool:
    """Return True if a carried-out order was recorded since `mark`."""
    return any(isinstance(entry, Settle) for entry in circle.fresh(mark))
