"""What is said against words and actions in every phase, word for word."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from engine.runes.match import State
from tests.engine.runes.tables import play, say, start
from tests.engine.runes.turns import GAME, Start, turn_from
from tests.engine.said import said_against

THREE = {"a": Start(sequence=("end",)), "b": Start(), "c": Start()}
LAID = ("a: lay", "b: lay", "c: lay")
CARDS = (*LAID, "a: reveal watchman", "b: reveal castle", "c: reveal sea")
JAB = (*CARDS, "a: pass", "a: cast jab b")
POSITIONS: Mapping[str, Callable[[], State]] = {
    "laying": lambda: turn_from(THREE),
    "laid": lambda: play(turn_from(THREE), *LAID),
    "planning": lambda: play(turn_from(THREE), *CARDS),
    "wyrms": lambda: play(turn_from(THREE), *CARDS, "a: pass"),
    "responding": lambda: play(turn_from(THREE), *JAB),
    "paying": lambda: play(turn_from(THREE), *JAB, "b: counter a"),
    "solo": lambda: start("a", opponent="automatic"),
    "required": lambda: play(turn_from(THREE, casting="required"), *CARDS),
}
VERBS = (
    "lay, reveal, turn, keep, again, cast, pass, counter, mirror, pay, withdraw, enough, forget, draw, decline, excuse"
)
SPELLS = (
    "cold-ward, heat-ward, heal, shield, fireball, ice-bolt, drain, jab, haste, invisibility, forgetfulness, confusion"
)
SAID: list[tuple[str, str, list[str]]] = [
    ("laying", "a: dance", [f"invalid dance is not an action. Actions: {VERBS}."]),
    ("laying", "a: reveal", ["ambiguous Which card? reveal …"]),
    ("laying", "a: turn", ["ambiguous Which card? turn …"]),
    ("laying", "a: pay", ["ambiguous Which card? pay …"]),
    ("laying", "a: forget", ["ambiguous Which card? forget …"]),
    ("laying", "a: cast", ["ambiguous Which spell? cast …"]),
    ("laying", "a: counter", ["ambiguous At whom? counter …"]),
    ("laying", "a: mirror", ["ambiguous Whose spell? mirror …"]),
    ("laying", "a: lay ?", []),
    ("laying", "a: lay end", ["invalid Too many words after lay: end"]),
    ("laying", "a: LAY", []),
    ("laying", "a: lay two cards", ["invalid Too many words after lay: two cards"]),
    ("laying", "a: reveal end sea", ["invalid Too many words after reveal: end sea"]),
    (
        "laying",
        "a: reveal moon",
        ["invalid moon is not a Decktet card. Write cards like this: mountain, light-keeper."],
    ),
    ("laying", "a: reveal end", ["R24 Cards are laid face down now."]),
    ("laying", "a: counter x", ["invalid There is no seat X in this match."]),
    ("laying", "a: counter b c", ["invalid Too many words after counter: b c"]),
    ("laying", "a: cast moon", [f"invalid moon is not a spell. Spells: {SPELLS}."]),
    ("laying", "a: cast jab", ["ambiguous At whom? cast jab …"]),
    (
        "laying",
        "a: cast jab b c",
        ["invalid c is not a Decktet card. Write cards like this: mountain, light-keeper."],
    ),
    ("laying", "a: cast shield b", ["invalid shield aims at its caster: no other target can be named."]),
    ("laying", "a: cast shield a", ["R32 Cards are laid face down now."]),
    ("laying", "a: cast fireball b with end", ["R32 Cards are laid face down now."]),
    (
        "laying",
        "a: cast fireball b end end end end end end",
        ["invalid Too many words after cast: fireball b end end end end end end"],
    ),
    ("laying", "a: forget none", ["R45 Cards are laid face down now."]),
    ("laying", "a: pass now", ["invalid Too many words after pass: now"]),
    ("laying", "a: draw", ["R57 Cards are laid face down now."]),
    ("laying", "a: decline", ["R57 Cards are laid face down now."]),
    ("laying", "a: excuse", ["R58 Cards are laid face down now."]),
    ("laying", "a: keep", ["R61 Cards are laid face down now."]),
    ("laying", "a: again", ["R61 Cards are laid face down now."]),
    ("laying", "a: enough", ["R50 Cards are laid face down now."]),
    ("laying", "a: withdraw", ["R49 Cards are laid face down now."]),
    ("laying", "a: turn sea", ["R60 Cards are laid face down now."]),
    ("laying", "a: forget end", ["R45 Cards are laid face down now."]),
    ("laying", "a: pass", ["R19 Cards are laid face down now."]),
    ("laid", "a: lay", ["R21 The cards laid down are turned up now."]),
    ("laid", "a: reveal end", ["R2 There is only one The End, and it is elsewhere."]),
    ("laid", "a: reveal sea", []),
    ("laid", "a: reveal excuse", ["R58 The Excuse is never played: it goes back into the pile."]),
    ("laid", "a: cast jab b", ["R32 The cards laid down are turned up now."]),
    ("planning", "a: cast jab b", ["R25 Jab needs Wyrms; now Moons resolve."]),
    ("planning", "a: cast shield", []),
    ("planning", "a: cast shield with end", ["R20 Shield uses no energy."]),
    ("planning", "a: cast heal", ["R20 Heal needs at least one rune of Leaves."]),
    ("planning", "a: cast heal with watchman", ["R20 The Watchman has no rune of Leaves."]),
    ("planning", "a: cast heal with sea", ["R13 The Sea is not in your sequence."]),
    ("planning", "a: cast heal with end", []),
    ("planning", "b: cast shield", ["R14 The Castle has no rune of Moons."]),
    ("planning", "b: pass", ["R26 B is not asked now."]),
    ("planning", "a: lay", ["R21 Spells are announced now."]),
    ("planning", "a: reveal end", ["R24 Spells are announced now."]),
    ("planning", "a: counter b", []),
    ("planning", "a: mirror b", ["R53 Spells are announced now."]),
    ("wyrms", "a: cast jab a", ["R29 Moons aim at their caster, Wyrms at an opponent."]),
    ("wyrms", "a: cast jab b", []),
    ("wyrms", "a: cast jab b with end", ["R20 Jab uses no energy."]),
    ("wyrms", "a: cast fireball b", ["R20 Fireball needs at least one rune of Suns."]),
    ("wyrms", "a: cast fireball b with end", ["R20 The End has no rune of Suns."]),
    ("wyrms", "a: cast drain b with end", []),
    ("wyrms", "a: cast ice-bolt b", ["R20 Ice Bolt needs at least one rune of Waves."]),
    ("wyrms", "b: cast jab a", ["R14 The Castle has no rune of Wyrms."]),
    ("wyrms", "c: cast jab a", ["R14 The Sea has no rune of Wyrms."]),
    ("responding", "b: mirror a", []),
    ("responding", "b: mirror c", ["R53 There is no spell of C that can be mirrored."]),
    ("responding", "c: mirror a", []),
    ("responding", "b: counter a", []),
    ("responding", "b: cast jab a", ["R32 A spell waits to take effect."]),
    ("responding", "b: pass", []),
    ("responding", "a: pass", ["R51 A is not asked now."]),
    ("responding", "a: counter b", ["R51 A is not asked now."]),
    ("responding", "b: draw", ["R57 A spell waits to take effect."]),
    ("responding", "b: pay end", ["R49 A spell waits to take effect."]),
    ("paying", "b: pay end", ["R2 There is only one The End, and it is elsewhere."]),
    ("paying", "b: pay excuse", ["R58 The Excuse is never played: it goes back into the pile."]),
    ("paying", "b: pay watchman", ["R2 There is only one The Watchman, and it is elsewhere."]),
    ("paying", "b: enough", ["R50 The cards don't show all the needed runes yet."]),
    ("paying", "b: withdraw", []),
    ("paying", "b: pass", ["R19 A special spell is being paid."]),
    ("paying", "a: pass", ["R19 A special spell is being paid."]),
    (
        "paying",
        "b: pay moon",
        ["invalid moon is not a Decktet card. Write cards like this: mountain, light-keeper."],
    ),
    ("solo", "a: lay", []),
    ("solo", "a: turn sea", ["R68 Cards are laid face down now.", "R60 Cards are laid face down now."]),
    ("solo", "a: turn excuse", ["R68 Cards are laid face down now.", "R60 Cards are laid face down now."]),
    ("solo", "a: keep", ["R61 Cards are laid face down now."]),
    ("solo", "a: excuse", ["R58 Cards are laid face down now."]),
    ("solo", "a: again", ["R61 Cards are laid face down now."]),
    ("required", "a: pass", ["R19 A spell that can be cast must be cast."]),
    ("required", "b: pass", ["R26 B is not asked now."]),
]


@pytest.mark.parametrize(("position", "line", "said"), SAID)
def test_what_is_said_against_words_and_actions(position: str, line: str, said: list[str]) -> None:
    assert said_against(GAME, POSITIONS[position](), line) == said


def test_who_pays_sees_what_may_be_done() -> None:
    state = POSITIONS["paying"]()
    assert [str(choice.text) for choice in GAME.choices(state, "b")] == ["Discard", "Take it back"]
    state = play(state, "b: pay ace-of-moons")
    assert [str(choice.text) for choice in GAME.choices(state, "b")] == ["Discard", "Take it back"]


def test_who_is_to_forget_is_told_how_much() -> None:
    start = {"a": Start(sequence=("end", "ace-of-leaves")), "b": Start()}
    lines = (
        "a: lay",
        "b: lay",
        "a: reveal light-keeper",
        "b: reveal castle",
        "a: cast forgetfulness b end+ace-of-leaves",
    )
    state = play(turn_from(start), *lines, "b: pass")
    assert str(GAME.view(state, "a").prompt) == "Cards to turn down: up to 2."
    assert str(GAME.view(state, "b").prompt) == "A chooses cards to turn down."
    assert {str(choice.text) for choice in GAME.choices(state, "a")} == {"Turn down"}


def test_the_dead_are_told() -> None:
    state = play(turn_from({"a": Start(), "b": Start(life=1), "c": Start()}), *JAB, "b: pass")
    _, events = say(state, "c: pass")
    assert [str(event.text) for event in events] == ["C lets it happen.", "A's Jab at B: B loses 1.", "B dies."]
