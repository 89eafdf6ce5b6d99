"""The deck as data: totals, forced values, and what its owner corrects."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.fence.cards import KINDS, Deck, cards_of, check, edit, face_ids, faces
from tests.engine.fence.bouts import rules


def deck() -> Deck:
    return rules().deck


@pytest.mark.clause("F1", "F61", "F62", "F120")
def test_three_modes_have_their_totals() -> None:
    counts = {mode: len(cards_of(deck(), mode)) for mode in ("tutorial", "basic", "advanced")}
    assert counts == {"tutorial": 41, "basic": 35, "advanced": 54}
    assert check(deck()) == ()
    assert sum(kind.copies for kind in KINDS.values()) == 54


@pytest.mark.clause("F62", "F66")
def test_the_yellow_pair_is_of_the_basic_deck() -> None:
    yellow = [card for card in cards_of(deck(), "basic") if card.mandatory]
    assert [(card.kind, card.speed) for card in yellow] == [("straight-thrust", 3)] * 2


@pytest.mark.clause("F61", "F93", "F137")
def test_what_the_texts_force_of_the_marks() -> None:
    basic = {card.kind for card in cards_of(deck(), "basic")}
    assert {"straight-thrust", "beat-thrust", "disengage", "toe-touch", "glide-attack", "infighting", "fleche"} <= basic
    assert "feint" not in basic | {card.kind for card in cards_of(deck(), "tutorial")}


FAULTS = [
    ({"mark_T": False}, "RF04", {"F1"}),
    ({"mark_B": False}, "RF01", {"F62", "F66"}),
    ({"speed": 4}, "RF06", {"F141"}),
    ({"speed": None}, "RF20", {"F34", "F148"}),
    ({"speed": 3}, "RF47", {"F34"}),
    ({"sp": 7}, "RF10", {"F78"}),
    ({"mark_B": True}, "RF53", {"F62", "F137"}),
    ({"mark_T": True}, "RF23", {"F1", "F33"}),
    ({"speed": 5}, "RF30", {"F160"}),
    ({"sp": 1}, "RF02", {"F66"}),
]


@pytest.mark.clause("F1", "F33", "F62", "F66", "F137")
@pytest.mark.parametrize(("changes", "card", "clauses"), FAULTS)
def test_a_deck_that_the_rules_exclude_is_told(
    changes: dict[str, int | bool | None], card: str, clauses: set[str]
) -> None:
    assert {fault.clause for fault in check(edit(deck(), card, changes))} == clauses


def test_copies_and_kinds_are_counted() -> None:
    cards = deck().cards
    assert {fault.clause for fault in check(Deck(cards[:-1]))} == {"F1", "F137"}
    odd = Deck((*cards[:-1], replace(cards[-1], kind="lunge")))
    assert {fault.where for fault in check(odd)} == {"feint", "lunge"}
    said = {(fault.clause, fault.where, str(fault.problem)) for fault in check(Deck((*cards[:-1], replace(cards[-2]))))}
    assert ("F1", cards[-2].id, "the id occurs more than once") in said
    said = {(fault.clause, fault.where, str(fault.problem)) for fault in check(odd)}
    assert said >= {("F1", "lunge", "there is no such kind"), ("F137", "feint", "1 copy instead of 2")}


def test_an_owner_corrects_a_copy() -> None:
    after = edit(deck(), "RF35", {"sp": 1, "speed": 5})
    card = next(card for card in after.cards if card.id == "RF35")
    assert (card.sp, card.sp_source, card.speed, card.speed_source) == (1, "owner", 5, "owner")
    assert card.mark_t_source == "assumed"
    with pytest.raises(KeyError, match="RF99"):
        edit(deck(), "RF99", {"sp": 1})
    with pytest.raises(KeyError, match="colour"):
        edit(deck(), "RF35", {"colour": 1})


def test_faces_are_told_apart_by_what_can_be_read() -> None:
    plain = face_ids(deck())
    assert plain["RF03"] == plain["RF04"] == "straight-thrust-4"
    assert plain["RF47"] == "joker"
    priced = face_ids(edit(deck(), "RF04", {"sp": 1}))
    assert (priced["RF03"], priced["RF04"]) == ("straight-thrust-4-sp0", "straight-thrust-4-sp1")
    counted = faces(deck(), "basic")
    assert counted["straight-thrust-3"].count == 2
    assert sum(face.count for face in counted.values()) == 35


def test_every_value_has_its_source() -> None:
    for card in deck().cards:
        assert {card.speed_source, card.sp_source, card.mark_t_source, card.mark_b_source} <= {
            "seed",
            "owner",
            "assumed",
        }
