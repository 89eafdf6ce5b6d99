"""Performs an honest action, with an order where needed, and counts the verdict."""

from __future__ import annotations

from engine.entry import Act
from engine.table import Trace
from referee_simulator.judge.tally import Ending
from referee_simulator.players import after_refusal, menus, reading
from referee_simulator.players.circle import Circle
from referee_simulator.players.decisions import Intent
from referee_simulator.players.world import Course, Pause

ORDERS = 3


def act(circle: Circle, intent: Intent) -> Course:
    state, mark = circle.match.state, circle.mark
    before = circle.game.layout(state)
    if intent.ordered:
        yield from order(circle, intent)
    states = state, circle.game.apply(state, intent.by, circle.game.read(state, intent.by, intent.words))[0]
    circle.follow_cards(intent, states)
    lay = circle.truth
    if intent.trace is not None:
        yield from circle.handle(intent, intent.trace, before)
        if _ending(circle, intent, state, mark).worth == "wrong" and circle.alert() is None:
            yield from circle.timeout()
    ending = _ending(circle, intent, state, mark)
    if ending.worth == "asked":
        yield from circle.answer(reading.truths(circle.game, state, intent))
        yield Pause(0.5)
        worth = ending_of(circle, intent, state, mark)
        ending = ending if worth.worth == "right" else worth
    circle.tally.honest(intent, ending)
    if ending.worth == "wrong":
        yield from after_refusal.insist(circle, intent, lay, mark)
    if ending_of(circle, intent, state, mark).worth == "wrong":
        circle.tally.jam(f"the referee believes something else than what {intent.by} did: {' '.join(intent.words)}")
        return
    circle.check(intent.words)
    if circle.holding is not None and not circle.holding.agrees(circle.match.state):
        circle.tally.jam(f"what the referee counts is not true after {' '.join(intent.words)}")


def order(circle: Circle, intent: Intent) -> Course:
    """Order a deed, again if a question interrupts. Raises NotThere after ORDERS attempts."""
    game, state = circle.game, circle.match.state
    for left in reversed(range(ORDERS)):
        try:
            yield from after_refusal.nothing_done(circle)
            yield from menus.enter(
                circle.world, intent.by, lambda prefix: game.choices(state, intent.by, prefix), intent.words
            )
            break
        except menus.NotThere:
            if not left:
                raise
            if circle.question() is None:
                yield from menus.leave(circle.world, intent.by)
    yield Pause(0.2)


def finish(circle: Circle, planned: Intent, mark: int) -> Course:
    if planned.trace is None:
        return
    state, pending = circle.match.state, circle.match.pending
    before = pending.before if pending is not None else circle.game.layout(state)
    circle.follow_cards(planned, (pending.state if pending is not None else state, state))
    yield from circle.handle(planned, planned.trace, before)
    if not after_refusal.has_settled(circle, mark) and circle.question() is None:
        yield from circle.timeout()
    asked = circle.question() is not None
    yield from circle.answer(reading.truths(circle.game, state, planned))
    settled = after_refusal.has_settled(circle, mark)
    worth = "wrong" if not settled else "asked" if asked else "right"
    circle.tally.honest(planned, Ending(worth, not settled and circle.alert() is not None, circle.prompts()))
    if not settled:
        yield from after_refusal.confirm_done(circle, planned.by)
    if after_refusal.has_settled(circle, mark):
        circle.check(planned.words)
    else:
        circle.tally.jam(f"an order was not seen to be carried out: {' '.join(planned.words)}")


def _ending(circle: Circle, intent: Intent, state: object, mark: int) -> Ending:
    if (asked := circle.question()) is not None:
        return Ending("asked", note=str(asked))
    if (refused := circle.alert()) is not None:
        return Ending("wrong", accused=True, note=f"refused: {refused}")
    return ending_of(circle, intent, state, mark)


def ending_of(circle: Circle, intent: Intent, state: object, mark: int) -> Ending:
    """Return the ending "right" if exactly this deed was recorded and nothing is pending, else "wrong"."""
    game = circle.game
    acts = [entry for entry in circle.fresh(mark) if isinstance(entry, Act)]
    expected = [(intent.by, game.read(state, intent.by, intent.words))]
    found = [(act.seat, game.read(state, act.seat, act.words)) for act in acts[:1]]
    if found != expected or len(acts) != 1:
        return Ending("wrong", note=f"recorded {[(a.seat, *a.words) for a in acts]}, {circle.prompts()}")
    circle.following()
    if (
        intent.ordered
        and intent.trace is not None
        and _is_awaited(circle, intent.trace)
        and not after_refusal.has_settled(circle, mark)
    ):
        return Ending("wrong", note=f"not seen to be carried out, {circle.prompts()}")
    return Ending("right")


def _is_awaited(circle: Circle, trace: Trace) -> bool:
    """Return True if the referee still waits; after the end only for pieces to turn up."""
    return circle.match.result is None or bool(trace.turned)
