from __future__ import annotations

import pytest

from engine.catalogue import Option, complete
from engine.errors import Invalid
from engine.game import OptionValue

HANDS = Option("hands", "Hands", (1, 2), 1, "T1", "seed")
STRICT = Option("strict", "Strict", (True, False), False, "T2", "assumed", labels=("yes", "no"))


def test_missing_options_take_their_defaults() -> None:
    assert complete((HANDS, STRICT), {"hands": 2}) == {"hands": 2, "strict": False}


@pytest.mark.parametrize("given", [{"hand": 1}, {"hands": 3}, {"hands": True}, {"strict": 1}, {"strict": "no"}])
def test_unknown_options_and_values_are_refused_by_name(given: dict[str, OptionValue]) -> None:
    with pytest.raises(Invalid, match=next(iter(given))):
        complete((HANDS, STRICT), given)


def test_an_option_whose_default_cannot_be_chosen_is_refused() -> None:
    with pytest.raises(ValueError, match="default"):
        Option("x", "X", (1, 2), 3, "T1", "seed")
    with pytest.raises(ValueError, match="labels"):
        Option("x", "X", (1, 2), 1, "T1", "seed", labels=("one",))
