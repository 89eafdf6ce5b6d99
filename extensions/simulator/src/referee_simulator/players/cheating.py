"""Performs a cheat, judges the verdict, and repairs the table."""

from __future__ import annotations

from referee_simulator.judge.tally import Ending
from referee_simulator.players import after_refusal, honest_play, reading
from referee_simulator.players.circle import Circle
from referee_simulator.players.decisions import Intent
from referee_simulator.players.world import Course
from referee_simulator.table.ground_truth import Truth


def act(circle: Circle, intent: Intent, planned: Intent) -> Course:
    """Cheat, count the verdict, put everything back, and complete the ordered action."""
    before = circle.game.layout(circle.match.state)
    if intent.ordered:
        yield from honest_play.order(circle, planned)
        circle.following()
    mark, wanted, remarked = circle.mark, circle.truth, reading.looked_at(circle.world, circle.seats)
    if intent.trace is not None:
        yield from circle.handle(intent, intent.trace, before)
    if circle.alert() is None and circle.question() is None and (circle.mark == mark or intent.visible):
        yield from circle.timeout()
    ending = _ending(circle, mark, peeked=not remarked and not _moves_pieces(intent))
    circle.tally.cheat(intent, ending)
    if ending.worth == "asked":
        yield from circle.answer(())
    if circle.mark > mark:
        circle.following()
        if ending.worth == "right":
            circle.leave()  # its first half counts: the players could name nothing to put back
        else:
            _note_believed(circle, intent)
        return
    yield from _put_back(circle, wanted, intent)
    if intent.ordered and not circle.tally.stuck:
        yield from honest_play.finish(circle, planned, mark)


def _ending(circle: Circle, mark: int, *, peeked: bool) -> Ending:
    """Return the verdict on a cheat. peeked: a warning about peeking counts as noticed."""
    fresh, refused = circle.fresh(mark), circle.alert()
    if fresh and refused is not None:
        return Ending("right", note=f"a legal part was believed, the rest refused: {refused}")
    if fresh:
        return Ending("wrong", note=f"believed: {list(fresh)}")
    if (asked := circle.question()) is not None:
        return Ending("asked", note=str(asked))
    if refused is not None:
        return Ending("right", note=refused)
    if peeked and reading.looked_at(circle.world, circle.seats):
        return Ending("right", note=str(reading.LOOKED_AT))
    return Ending("wrong", note=f"not noticed, {circle.prompts()}")


def _moves_pieces(intent: Intent) -> bool:
    return intent.trace is not None and bool(intent.trace.moves or intent.trace.turned)


def _note_believed(circle: Circle, intent: Intent) -> None:
    if intent.visible:
        circle.tally.jam(f"a cheat was believed: {intent.kind}")
    elif not circle.agrees():
        circle.tally.jam(f"an invisible cheat parted belief and truth: {intent.kind}")
    elif circle.holding is not None:
        circle.leave()  # the hands no longer match the dealer


def _put_back(circle: Circle, wanted: Truth, intent: Intent) -> Course:
    yield from after_refusal.put_back(circle, wanted, intent)
    yield from circle.answer(reading.NOTHING)
    if reading.asks_consent(circle.world, circle.seats):
        circle.tally.count_question(f"put back after {intent.kind}", circle.alert() or "")
        yield from reading.agree_all(circle.world, circle.seats)
    if _moves_pieces(intent) and circle.alert() is not None:
        circle.tally.count_insistence(f"put back after {intent.kind}, but still refused: {circle.alert()}")
        yield from after_refusal.put_right(circle, intent.by)
