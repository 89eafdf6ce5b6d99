"""What is not seen, or not understood, beside what was plainly done: waited for, then asked about, never refused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.arbiter import (
    Accept,
    ActionStep,
    Agree,
    Ask,
    Case,
    Evidence,
    Refuse,
    Verdict,
    Wait,
    agreement,
    gather,
    judge,
)
from engine.runes.hands import DrawPhase
from engine.runes.match import Queued, State, with_wizard, wizard_at
from engine.table import Arrangement, Face, Observation, Sight, Sighting, Touch
from tests.engine.ideal import IdealTable
from tests.engine.runes.tables import start
from tests.engine.runes.test_arbiter import a_match, watched
from tests.engine.runes.turns import GAME

LAY = ActionStep("b", ("lay",))
QUEUE = (Queued("harvest"), Queued("end"), Queued("sea"))


def laying() -> State:
    """Both have to lay a card; three lie before a."""
    state = start("ab")
    return with_wizard(state, replace(wizard_at(state, "a"), sequence=QUEUE))


def laid(state: State, table: IdealTable) -> Observation:
    table.perform(GAME.trace(state, "b", GAME.read(state, "b", LAY.words)), "b")
    return table.observe()


def verdict(state: State, watch: Evidence, seen: Observation, *, overdue: bool = True) -> Verdict:
    return judge(GAME, a_match(state, "ab"), gather(watch, seen), overdue=overdue)


def without_strip(seen: Observation, number: int = 1) -> Observation:
    """Of a's sequence one strip is not seen."""
    return _with(seen, "sequence-a", lambda row: (*row[:number], *row[number + 1 :]))


def with_stranger(seen: Observation) -> Observation:
    """Beside a's sequence lies something that nobody can name."""
    strange = Sighting(77, None, None, Sight.UNKNOWN, 0.2, 0.0, 0.0, 0.0)
    return _with(seen, "sequence-a", lambda row: (*row, strange))


def drawn_from(seen: Observation) -> Observation:
    """Another back seems to lie on the pile."""
    (top,) = seen.zone("pile").pieces
    assert top is not None
    other = _with(seen, "pile", lambda _: (replace(top, track=88),))
    return replace(other, touched=(*seen.touched, Touch(top.track, True, 1.0, frozenset("b"))))


def _with(seen: Observation, name: str, change: object) -> Observation:
    assert callable(change)
    zones = tuple(replace(z, pieces=change(z.pieces)) if z.zone == name else z for z in seen.zones)
    return replace(seen, zones=zones)


@pytest.mark.clause("R21")
@pytest.mark.parametrize("spoil", [without_strip, with_stranger, drawn_from])
def test_beside_what_is_badly_seen_an_action_is_waited_for_and_asked_about(spoil: object) -> None:
    assert callable(spoil)
    state = laying()
    table, watch = watched(state)
    seen = spoil(laid(state, table))
    assert isinstance(verdict(state, watch, seen, overdue=False), Wait)
    assert verdict(state, watch, seen) == Ask(((LAY,),))


@pytest.mark.parametrize("spoil", [without_strip, with_stranger])
def test_what_everybody_took_to_be_right_is_not_asked_about_again(spoil: object) -> None:
    assert callable(spoil)
    state = laying()
    table = IdealTable.of(GAME.layout(state))
    watch = agreement(GAME.layout(state), spoil(table.observe()))
    assert verdict(state, watch, spoil(table.observe())) == Agree()
    assert verdict(state, watch, table.observe()) == Agree(), "it may come in sight again"
    seen = laid(state, table)
    assert getattr(verdict(state, watch, spoil(seen)), "steps", None) == (LAY,)


@pytest.mark.clause("R12")
def test_a_card_that_is_plainly_gone_is_still_missed() -> None:
    state = laying()
    table, watch = watched(state)
    table.hands = frozenset("a")
    seen = without_strip(table.observe(), 2)
    (taken,) = {h.track for h in watch.base.holdings()} - {p.track for z in seen.zones for p in z.pieces if p}
    refused = verdict(state, watch, replace(seen, touched=(Touch(taken or 0, True, 1.0, frozenset("a")),)))
    assert isinstance(refused, Refuse)
    assert refused.kind == "card taken back"
    assert verdict(state, watch, seen) == Ask(((),)), "nobody was seen to take it: vision may miss it"


@pytest.mark.clause("R21")
def test_a_card_that_is_plainly_seen_where_none_belongs_is_no_doubt() -> None:
    """Something lies in a's sequence that the referee knows, and that no rule brings there."""
    state = laying()
    table, watch = watched(state)
    stray = Sighting(99, "mill", Face.UP, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)
    seen = _with(laid(state, table), "sequence-a", lambda row: (stray, *row))
    assert isinstance(verdict(state, watch, seen), Refuse)


def test_a_piece_that_was_lifted_and_cannot_be_told_any_more_is_asked_about() -> None:
    """It may have been turned, or exchanged."""
    state = laying()
    table, watch = watched(state)
    seen = table.observe()
    track = next(p.track for p in seen.zone("sequence-a").pieces if p is not None)
    dim = _with(
        seen,
        "sequence-a",
        lambda row: tuple(
            replace(p, kind=None, face=None, sight=Sight.UNKNOWN) if p.track == track else p for p in row
        ),
    )
    assert verdict(state, watch, dim) == Agree()
    lifted = replace(dim, touched=(Touch(track, True, 1.0, frozenset("a")),), hands=frozenset("a"))
    assert verdict(state, watch, lifted) == Ask(((),))


@pytest.mark.clause("R57")
@pytest.mark.parametrize(("certainty", "kind"), [(1.0, Refuse), (0.6, Ask), (0.3, Agree)])
def test_a_draw_that_only_may_have_been_is_held_against_nobody(certainty: float, kind: type) -> None:
    state = laying()
    table, watch = watched(state)
    seen = drawn_from(table.observe())
    touched = tuple(replace(touch, certainty=certainty) for touch in seen.touched)
    seen = replace(seen, touched=touched, hands=frozenset("b"))
    assert isinstance(verdict(state, watch, seen), kind)
    renewed = replace(seen, touched=(Touch(88, True, 1.0, frozenset("b")),))
    assert verdict(state, watch, renewed) == Ask(((),)), "nobody was seen to take the one that lay there"
    assert verdict(state, watch, replace(renewed, touched=(Touch(88, True, 1.0, None),))) == Agree(), (
        "no hand was there"
    )
    unsure = verdict(state, watch, replace(seen, lost=frozenset({88})))
    assert unsure == (Agree() if certainty < 0.5 else Ask(((),)))


def test_a_hidden_card_that_lies_back_in_its_place_is_asked_about_while_a_strip_is_out_of_sight() -> None:
    """Put back after a refusal, for example: the table does not look otherwise than it should."""
    state = with_wizard(laying(), replace(wizard_at(laying(), "b"), laid=True))
    table, watch = watched(state)
    seen = table.observe()
    (card,) = (p for p in seen.zone("card-b").pieces if p is not None)
    lifted = replace(seen, touched=(Touch(card.track, True, 1.0, frozenset("a")),), hands=frozenset("a"))
    assert isinstance(verdict(state, watch, lifted), Refuse), "all is in sight: somebody lifted it"
    assert verdict(state, watch, without_strip(lifted)) == Ask(((),))


@pytest.mark.clause("R57")
@pytest.mark.parametrize(
    ("beside", "asked"),
    [
        (Touch(0, True, 1.0), True),
        (Touch(0, True, 0.6), True),
        (Touch(0, False, 1.0), True),
        (Touch(0, False, 0.9), False),
        (Touch(0, True, 0.3), False),
    ],
)
def test_what_seems_drawn_while_a_hand_was_at_something_else_is_asked_about(beside: Touch, *, asked: bool) -> None:
    """A card or counter that was lifted or pushed aside may have changed how the pile looks; a light tap does not."""
    state = laying()
    table, watch = watched(state)
    seen = drawn_from(table.observe())
    other = next(p.track for p in seen.zone("sequence-a").pieces if p is not None)
    touched = (*seen.touched, replace(beside, track=other, hands=frozenset("b")))
    said = verdict(state, watch, replace(seen, touched=touched, hands=frozenset("b")))
    assert said == Ask(((),)) if asked else isinstance(said, Refuse)


def test_what_covers_a_pile_is_asked_about_once() -> None:
    """Most likely it is another card."""
    state = replace(laying(), discards=("mill",))
    table, watch = watched(state)
    covered = _with(table.observe(), "discards", lambda row: (replace(row[0], sight=Sight.COVERED),))
    assert verdict(state, watch, covered) == Ask(((),))
    again = agreement(GAME.layout(state), covered)
    assert verdict(state, again, covered) == Agree()
    assert verdict(state, again, table.observe()) == Agree()


@pytest.mark.clause("R57")
def test_a_draw_of_which_only_the_hand_was_seen_is_among_the_answers() -> None:
    """The pile was touched, and what lies there now is not seen at all."""
    state = replace(laying(), phase=DrawPhase(("b", "a")))
    table, watch = watched(state)
    seen = drawn_from(table.observe())
    gone = replace(_with(seen, "pile", lambda _: ()), hands=frozenset("b"))
    seats = sorted(GAME.actors(state))
    answers = verdict(state, watch, gone)
    assert isinstance(answers, Ask)
    assert answers.readings[0] == ()
    assert {steps[0] for steps in answers.readings[1:]} == {ActionStep(seat, ("draw",)) for seat in seats}


def test_the_strips_of_a_splay_that_are_seen_are_the_cards_that_they_show() -> None:
    """With one out of sight the others are not taken for one another, nor said to lie wrong."""
    state = laying()
    watch = agreement(GAME.layout(state), without_strip(IdealTable.of(GAME.layout(state)).observe()))
    (row,) = (zone for name, order, zone in watch.base.zones if name == "sequence-a" and order is Arrangement.SPLAY)
    assert [h.missed for h in row if h is not None] == [False, True, False]
    assert len({h.track for h in row if h is not None}) == 3


def test_which_strip_is_out_of_sight_is_told_by_the_tracks_where_looks_do_not_tell() -> None:
    """The first is not seen, the second not told: it is no more the first than it was before."""
    state = laying()
    table, watch = watched(state)
    _, *others = (s for s in table.observe().zone("sequence-a").pieces if s is not None)
    spoilt = (replace(others[0], kind=None, face=None, sight=Sight.UNKNOWN), *others[1:])
    seen = _with(table.observe(), "sequence-a", lambda _: spoilt)
    again = Case(watch, seen).agree(GAME.layout(state)).evidence
    assert again is not None
    (row,) = (zone for name, _, zone in again.base.zones if name == "sequence-a")
    assert [h and h.track for h in row] == [None, *(other.track for other in others)]
    assert [h and h.missed for h in row] == [True, False, False]


@pytest.mark.clause("R21")
def test_who_lays_while_another_puts_a_card_back_is_not_waited_for() -> None:
    state = laying()
    table, watch = watched(state)
    held = table.zones["sequence-a"].pop(1)
    assert held is not None
    table.touched[held[0]] = Touch(held[0], True, 1.0, frozenset("a"))
    gone = Case(watch, watch.seen).observe(GAME, a_match(state, "ab"), table.observe(), 1.0, settle_s=4.0)
    assert isinstance(gone.ruling, Refuse)
    table.zones["sequence-a"].insert(1, held)
    found = gone.case.observe(GAME, a_match(state, "ab"), laid(state, table), 2.0, settle_s=4.0)
    assert found.ruling == Accept((LAY,))


UNKNOWN = Sighting(77, None, None, Sight.UNKNOWN, 0.2, 0.0, 0.0, 0.0)


def test_a_strip_out_of_sight_beside_a_thing_that_is_none_is_asked_about_once() -> None:
    """As many as should lie there, but they are not the same: what is plainly seen tells which are missing."""
    state = laying()
    table, watch = watched(state)
    spoilt = _with(table.observe(), "sequence-a", lambda row: (UNKNOWN, row[0], row[2]))
    spoilt = replace(spoilt, touched=(Touch(77, True, 1.0, frozenset("a")),), hands=frozenset("a"))
    assert verdict(state, watch, spoilt) == Ask(((),))
    again = agreement(GAME.layout(state), spoilt)
    assert verdict(state, again, replace(spoilt, touched=(), hands=frozenset())) == Agree()


@pytest.mark.clause("R44")
def test_another_card_on_the_discards_that_nobody_can_name_is_asked_about() -> None:
    """One that cannot be told lies where another lay that could not be told either."""
    state = replace(laying(), discards=("mill",))
    table = IdealTable.of(GAME.layout(state))
    dim = _with(table.observe(), "discards", lambda _: (replace(UNKNOWN, track=50),))
    watch = agreement(GAME.layout(state), dim)
    assert verdict(state, watch, dim) == Agree()
    other = _with(dim, "discards", lambda _: (UNKNOWN,))
    other = replace(other, touched=(Touch(77, True, 1.0, frozenset("a")),), hands=frozenset("a"))
    assert isinstance(verdict(state, watch, other, overdue=False), Wait)
    assert verdict(state, watch, other) == Ask(((),))


def test_a_hidden_card_that_was_lifted_and_is_not_plainly_seen_is_asked_about() -> None:
    state = with_wizard(laying(), replace(wizard_at(laying(), "a"), sequence=(Queued("harvest", down=True),)))
    table, watch = watched(state)
    seen = table.observe()
    (card,) = seen.zone("sequence-a").pieces
    assert card is not None
    touch = Touch(card.track, True, 1.0, frozenset("a"))
    peeked = replace(seen, touched=(touch,), hands=frozenset("a"))
    assert isinstance(verdict(state, watch, peeked), Refuse)
    dim = _with(peeked, "sequence-a", lambda _: (UNKNOWN,))
    assert verdict(state, watch, dim) == Ask(((),))


def test_of_hidden_cards_in_a_sequence_the_one_that_is_followed_is_itself() -> None:
    """One of two cards that lie face down is out of sight, and what lies first cannot be told."""
    queue = (Queued("harvest"), Queued("end", down=True), Queued("sea", down=True))
    state = with_wizard(laying(), replace(wizard_at(laying(), "a"), sequence=queue))
    table, watch = watched(state)
    spoilt = _with(table.observe(), "sequence-a", lambda row: (UNKNOWN, row[2]))
    assert verdict(state, watch, spoilt) == Ask(((),))
