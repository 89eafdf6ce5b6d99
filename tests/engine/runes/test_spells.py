"""Every spell, and every spell against every protection (R33-R48)."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from engine.runes.laying import drawn_place
from engine.runes.match import State, wizard_at
from tests.engine.runes.tables import play, refused, words_of
from tests.engine.runes.turns import GAME, Result, Start, facts, run, turn_from

ENERGY = {
    "suns": ("ace-of-suns", "bard"),
    "waves": ("ace-of-waves", "sea"),
    "leaves": ("ace-of-leaves", "end"),
    None: (),
}
ACTIVE = {"moons": "huntress", "wyrms": "calamity", "knots": "windfall"}
SPELLS = {
    "cold-ward": ("moons", "suns"),
    "heat-ward": ("moons", "waves"),
    "heal": ("moons", "leaves"),
    "shield": ("moons", None),
    "fireball": ("wyrms", "suns"),
    "ice-bolt": ("wyrms", "waves"),
    "drain": ("wyrms", "leaves"),
    "jab": ("wyrms", None),
    "haste": ("knots", "suns"),
    "invisibility": ("knots", "waves"),
    "forgetfulness": ("knots", "leaves"),
    "confusion": ("knots", None),
}
STOPS = {
    "cold-ward": {"ice-bolt"},
    "heat-ward": {"fireball"},
    "shield": {"drain", "jab", "confusion"},
    "countered": set(SPELLS) - {"fireball", "ice-bolt", "jab"},
    "invisible": set(),
    "none": set(),
}
"""What stops what, as the clauses say; invisibility forbids the target instead."""

TURN = 5


def cast(spell: str, target: Start | None = None, caster: Start | None = None, *more: tuple[str, str]) -> Result:
    """In turn 5 wizard a casts a spell with two runes at b, or at itself; b plays a card without activation runes."""
    rune, suit = SPELLS[spell]
    own = caster or Start(life=6)
    own = Start(own.life, (*ENERGY[suit], *own.sequence), own.hand, own.effects)
    state = turn_from({"a": own, "b": target or Start(life=6)}, turn=TURN)
    at = "" if rune == "moons" else " b"
    energy = f" {'+'.join(ENERGY[suit])}" if suit else ""
    forget = [("a", "forget mill+origin")] if spell == "forgetfulness" else []
    lines = [("a", f"reveal {ACTIVE[rune]}"), ("b", "reveal mill"), ("a", f"cast {spell}{at}{energy}"), *more, *forget]
    return run(state, lines)


def effect_of(spell: str, result: Result) -> bool:
    """Whether a spell of `cast` has done what it does."""
    seat = "a" if SPELLS[spell][0] == "moons" else "b"
    match spell:
        case "heal":
            return result.lives["a"] == 8
        case "fireball" | "ice-bolt" | "drain":
            return result.lives["b"] == 4
        case "jab":
            return result.lives["b"] == 5
        case "forgetfulness":
            return "-mill" in result.sequences["b"]
        case _:
            name = {"invisibility": "invisible", "confusion": "confused"}.get(spell, spell)
            return result.effects[seat].get(name, (0, 0))[1] >= TURN + (SPELLS[spell][0] == "knots")


@pytest.mark.clause("R48")
@pytest.mark.clause("R52")
@pytest.mark.parametrize(("spell", "guard"), list(product(SPELLS, STOPS)))
def test_every_spell_against_every_protection(spell: str, guard: str) -> None:
    own = SPELLS[spell][0] == "moons"
    effects = {} if guard == "none" else {guard: (TURN, TURN)}
    if own and guard == spell:
        effects = {guard: (TURN - 1, TURN - 1)}
    protected = Start(life=6, sequence=("origin",), effects=effects)
    result = cast(spell, None if own else protected, protected if own else None)
    if guard == "invisible" and not own:
        assert result.refused == 2
        return
    assert effect_of(spell, result) is (spell not in STOPS[guard])


MIRRORED = {
    "fireball": ({"a": 4, "b": 6}, {}),
    "ice-bolt": ({"a": 4, "b": 6}, {}),
    "drain": ({"a": 4, "b": 8}, {}),
    "jab": ({"a": 5, "b": 6}, {}),
    "haste": ({"a": 6, "b": 6}, {"haste": (6, 7)}),
    "invisibility": ({"a": 6, "b": 6}, {"invisible": (6, 7)}),
    "confusion": ({"a": 6, "b": 6}, {"confused": (6, 6)}),
}


@pytest.mark.clause("R53")
@pytest.mark.parametrize("spell", sorted(MIRRORED))
def test_every_spell_at_another_can_be_mirrored(spell: str) -> None:
    result = cast(spell, None, None, ("b", "mirror a"), ("b", "pay watchman"))
    lives, effects = MIRRORED[spell]
    assert (result.lives, result.effects["a"]) == (lives, effects)


@pytest.mark.clause("R53")
@pytest.mark.parametrize("guard", ["cold-ward", "heat-ward", "shield", "countered"])
@pytest.mark.parametrize("spell", ["fireball", "ice-bolt", "drain", "jab", "confusion"])
def test_protections_of_the_first_caster_hold_against_what_comes_back(spell: str, guard: str) -> None:
    caster = Start(life=6, effects={guard: (TURN, TURN)})
    result = cast(spell, None, caster, ("b", "mirror a"), ("b", "pay watchman"))
    stopped = result.lives == {"a": 6, "b": 6} and "confused" not in result.effects["a"]
    assert stopped is (spell in STOPS[guard])


@pytest.mark.clause("R33")
@pytest.mark.clause("R34")
@pytest.mark.parametrize("ward", ["cold-ward", "heat-ward"])
def test_a_ward_holds_from_this_turn_on(ward: str) -> None:
    assert cast(ward).effects["a"] == {ward: (5, 6)}
    assert cast(ward, None, Start(effects={ward: (4, 5)})).effects["a"] == {ward: (4, 6)}
    assert cast(ward, None, Start(effects={ward: (3, 9)})).effects["a"] == {ward: (3, 9)}


@pytest.mark.clause("R33")
def test_a_ward_of_this_turn_stops_a_bolt_of_this_turn() -> None:
    starts = {"a": Start(sequence=("ace-of-suns",)), "b": Start(sequence=("sea",))}
    lines = [
        ("a", "reveal huntress"),
        ("b", "reveal ace-of-wyrms"),
        ("a", "cast cold-ward ace-of-suns"),
        ("b", "cast ice-bolt a sea"),
    ]
    assert run(turn_from(starts), lines).lives["a"] == 12
    assert run(turn_from(starts), [*lines[:2], lines[3]]).lives["a"] == 11


@pytest.mark.clause("R35")
@pytest.mark.parametrize(("life", "after"), [(3, 5), (10, 12), (11, 12), (12, 12)])
def test_healing_ends_at_twelve(life: int, after: int) -> None:
    assert cast("heal", None, Start(life=life)).lives["a"] == after


@pytest.mark.clause("R36")
def test_a_shield_holds_this_turn() -> None:
    assert cast("shield").effects["a"] == {"shield": (5, 5)}


@pytest.mark.clause("R37")
@pytest.mark.clause("R38")
@pytest.mark.parametrize(("spell", "guard"), [("fireball", "heat-ward"), ("ice-bolt", "cold-ward")])
def test_fire_and_ice(spell: str, guard: str) -> None:
    assert cast(spell).lives == {"a": 6, "b": 4}
    assert cast(spell, Start(life=6, effects={guard: (5, 5)})).lives["b"] == 6
    assert cast(spell, Start(life=6, effects={guard: (6, 9)})).lives["b"] == 4
    assert cast(spell, Start(life=6, effects={guard: (1, 4)})).lives["b"] == 4


@pytest.mark.clause("R39")
def test_drain_takes_and_gives() -> None:
    assert cast("drain").lives == {"a": 8, "b": 4}
    assert cast("drain", None, Start(life=11)).lives == {"a": 12, "b": 4}
    assert cast("drain", Start(life=6, effects={"shield": (5, 5)})).lives == {"a": 6, "b": 6}
    result = cast("drain", Start(life=1))
    assert result.lives == {"a": 8, "b": -1}
    assert result.winner == "a"


@pytest.mark.clause("R40")
def test_jab_costs_one_life() -> None:
    assert cast("jab").lives["b"] == 5


@pytest.mark.clause("R41")
def test_haste_begins_with_the_next_turn_and_does_not_add() -> None:
    assert cast("haste").effects["b"] == {"haste": (6, 7)}
    lines = [("b", "reveal origin"), ("a", "reveal windfall"), ("b", "reveal mill"), ("a", "cast haste b bard")]
    for last, later in ((9, 9), (6, 6), (5, 6)):
        starts = {"a": Start(sequence=("bard",)), "b": Start(effects={"haste": (2, last)})}
        assert run(turn_from(starts, turn=TURN), lines).effects["b"] == {"haste": (2, later)}
    ignored = turn_from(
        {"a": Start(sequence=("bard",)), "b": Start(effects={"haste": (2, 5)})}, turn=TURN, haste_stacking="ignored"
    )
    assert run(ignored, lines).effects["b"] == {"haste": (2, 5)}


@pytest.mark.clause("R44")
def test_the_invisible_cannot_be_chosen_by_others() -> None:
    hidden = {"invisible": (1, 1)}
    state = turn_from({"a": Start(), "b": Start(effects=hidden), "c": Start()})
    state = play(state, "a: lay", "b: lay", "c: lay", "a: reveal soldier", "b: reveal betrayal", "c: reveal sea")
    assert words_of(state, "b", "cast", "jab") == ["a", "c"]
    state = play(state, "b: pass")
    assert words_of(state, "a", "cast", "jab") == ["c"]
    assert refused(state, "a: cast jab b") == ("R44",)
    state = play(state, "a: pass")
    assert "b" in words_of(state, "b", "cast", "confusion")
    state = play(state, "b: pass")
    assert "b" not in words_of(state, "a", "cast", "confusion")
    assert "b" in words_of(state, "a", "counter")


@pytest.mark.clause("R44")
def test_invisibility_begins_with_the_next_turn() -> None:
    assert cast("invisibility").effects["b"] == {"invisible": (6, 7)}


def forgetting(state: State) -> State:
    state = play(state, "a: lay", "b: lay", "a: reveal windfall", "b: reveal mill")
    return play(state, "a: cast forgetfulness b end+ace-of-leaves", "b: pass")


@pytest.mark.clause("R45")
def test_up_to_as_many_cards_as_leaves_are_turned_down() -> None:
    starts = {"a": Start(sequence=("end", "ace-of-leaves")), "b": Start(sequence=("-sea", "origin", "sailor"))}
    state = forgetting(turn_from(starts))
    assert words_of(state, "a", "forget") == [
        "origin+sailor",
        "origin+mill",
        "sailor+mill",
        "origin",
        "sailor",
        "mill",
        "none",
    ]
    assert refused(state, "a: forget origin sailor mill") == ("R45",)
    assert refused(state, "a: forget sea") == ("R45",)
    assert refused(state, "b: forget origin") == ("R45",)
    after = play(state, "a: forget sailor+mill")
    assert run(after, []).sequences["b"] == ("-sea", "origin", "-sailor", "-mill")
    assert run(play(state, "a: forget none"), []).sequences["b"] == ("-sea", "origin", "sailor", "mill")


@pytest.mark.clause("R45")
def test_what_lies_face_down_gives_no_energy_and_is_discarded_in_its_turn() -> None:
    state = turn_from({"a": Start(sequence=("-bard", "sea", "mill", "end")), "b": Start()})
    state = play(state, "a: lay")
    assert state.discards == ("bard",)
    state = turn_from({"a": Start(sequence=("-ace-of-suns", "bard")), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal calamity", "b: reveal sea")
    assert words_of(state, "a", "cast", "fireball", "b") == ["bard"]
    assert refused(state, "a: cast fireball b ace-of-suns") == ("R45",)


@pytest.mark.clause("R45")
def test_after_a_mirror_the_first_target_chooses() -> None:
    starts = {"a": Start(sequence=("end",)), "b": Start()}
    lines = [
        ("a", "reveal windfall"),
        ("b", "reveal mill"),
        ("a", "cast forgetfulness b end"),
        ("b", "mirror a"),
        ("b", "pay watchman"),
        ("b", "forget end"),
    ]
    assert run(turn_from(starts), lines).sequences == {"a": ("-end", "windfall"), "b": ("mill",)}


@pytest.mark.clause("R47")
def test_confusion_draws_a_lot_for_the_next_turn() -> None:
    assert cast("confusion").effects["b"] == {"confused": (6, 6)}
    state = turn_from({"a": Start(), "b": Start(effects={"confused": (6, 6)}), "c": Start()}, turn=6)
    views = {seat: facts(state, seat)["wizards"]["b"]["lot"] for seat in ("a", "b", "c", None)}
    assert len(set(views.values())) == 1
    assert views["a"].startswith("B is confused: card ")
    assert 1 <= int(views["a"].split()[4]) <= 5
    assert str(GAME.view(state, "b").prompt) == views["a"]
    neighbour = turn_from({"a": Start(), "b": Start(effects={"confused": (1, 1)})}, confusion_pick="neighbour")
    assert str(GAME.view(neighbour, "b").prompt) == "B is confused: A draws the card."


@pytest.mark.clause("R47")
def test_lots_depend_on_seed_and_turn_and_reach_every_place() -> None:
    state = turn_from({"a": Start(effects={"confused": (1, 99)}), "b": Start()})
    places = [drawn_place(replace(state, turn=turn), wizard_at(state, "a")) for turn in range(200)]
    assert set(places) == {1, 2, 3, 4, 5}
    assert max(places.count(n) for n in range(1, 6)) < 70
