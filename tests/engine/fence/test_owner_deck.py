"""A real deck as its owner corrects it: what is asked of each card, what is answered, what the rules exclude."""

from __future__ import annotations

import pytest

from engine.fence.owner_deck import OwnedDeck
from tests.engine.fence.bouts import rules

FAULTS = [
    ("RF04", "mark_T", "no", ["Tutorial: 40 cards instead of 41 (F1)."]),
    (
        "RF01",
        "mark_B",
        "no",
        [
            "Basic: 34 cards instead of 35 (F62).",
            "Straight Thrust: it needs two yellow cards of speed 3 with mark B (F66).",
        ],
    ),
    ("RF06", "speed", "4", ["Straight Thrust: its text names speed 6 (F141)."]),
    ("RF10", "sp", "6", []),
    (
        "RF53",
        "mark_B",
        "yes",
        ["Basic: 36 cards instead of 35 (F62).", "RF53: it is used in the advanced mode only (F137)."],
    ),
    (
        "RF23",
        "mark_T",
        "yes",
        ["Tutorial: 42 cards instead of 41 (F1).", "RF23: it cannot be played at the tutorial's only distance (F33)."],
    ),
    ("RF30", "speed", "5", ["Ceding Parry: its text names speed 4 (F160)."]),
    ("RF02", "sp", "1", ["Straight Thrust: the two yellow cards must show the same numbers (F66)."]),
]


def deck() -> OwnedDeck:
    return OwnedDeck(rules().deck)


@pytest.mark.clause("F1", "F33", "F34", "F62", "F66", "F137")
@pytest.mark.parametrize(("copy", "number", "word", "sentences"), FAULTS)
def test_what_the_rules_exclude_is_said_of_the_card_or_the_mode(
    copy: str, number: str, word: str, sentences: list[str]
) -> None:
    after = deck().correct(copy, number, word)
    assert [str(fault.said) for fault in after.faults()] == sentences
    assert next(each.now for each in after.numbers(copy) if each.name == number) == word
    assert deck().faults() == ()


def test_every_card_is_called_by_its_copy_and_its_face() -> None:
    copies = {copy.id: copy for copy in deck().copies()}
    assert len(copies) == 54
    assert str(copies["RF01"].text) == "RF01 Straight Thrust 3"
    assert str(copies["RF47"].text) == "RF47 Joker"
    assert copies["RF03"].kinds == {"straight-thrust-4", "straight-thrust-4-sp0"}


def test_what_is_printed_on_a_card_is_asked_with_all_that_it_may_be() -> None:
    numbers = deck().numbers("RF01")
    assert [(each.name, str(each.title), each.now) for each in numbers] == [
        ("speed", "Speed", "3"),
        ("sp", "Stamina points", "0"),
        ("mark_T", "Mark T", "yes"),
        ("mark_B", "Mark B", "yes"),
    ]
    assert [[(choice.word, str(choice.text)) for choice in each.choices] for each in numbers] == [
        [(str(speed), str(speed)) for speed in range(1, 10)],
        [(str(points), str(points)) for points in range(7)],
        [("yes", "Yes"), ("no", "No")],
        [("yes", "Yes"), ("no", "No")],
    ]
    assert all(choice.final and not choice.costs for each in numbers for choice in each.choices)


def test_a_joker_has_no_speed_and_its_marks_are_told_apart() -> None:
    assert [(each.name, each.now) for each in deck().numbers("RF47")] == [
        ("sp", "0"),
        ("mark_T", "yes"),
        ("mark_B", "no"),
    ]
    with pytest.raises(KeyError, match="RF99"):
        deck().numbers("RF99")


def test_the_game_and_the_file_are_of_the_corrected_deck() -> None:
    after = deck().correct("RF03", "sp", "2")
    assert [card.sp for card in after.game().deck.cards if card.id == "RF03"] == [2]
    assert after.toml() != deck().toml()
