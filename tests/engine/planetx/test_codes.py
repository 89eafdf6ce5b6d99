"""Games from codes: the same for ever, and every gate (X12-X14, X40, X45-X48, X83)."""

from __future__ import annotations

from hashlib import sha256

import msgspec
import pytest

from engine.draws import Stream
from engine.errors import Invalid
from engine.planetx.draw import (
    CODES,
    FACTOR,
    LETTERS,
    SEASONS,
    VERSION,
    Drawn,
    boards_left,
    broken_clauses,
    check_code,
    code_from_seed,
    code_of,
    draw_game,
    imbalance,
    report,
)
from engine.planetx.facts import Fact
from engine.planetx.sky import EXPERT, MODES, STANDARD, SkyMode

FROZEN = {
    ("standard", "AAAAA"): "c9a2b291b1228858c274b58c1ac194ec0810170b6531026200e0b3cbfed9fe6d",
    ("standard", "AKTWE"): "1a0fc32d99caf65b772728031942afb93bab5cad25a534994c7231e37fa8e93e",
    ("expert", "AAAAA"): "17f1f2f820e7b3a0c83a4cc1af7ba89fe78dc7505e33a68ca02e83ddf52d16ef",
    ("expert", "AXYHN"): "ee23fe189bed5b40ba2f624c2b06513b22cb561406c62bca8cf019bf78dd6cae",
}
"""SHA-256 of whole games: they must stay what they are as long as the version letter is A."""


def digest(game: Drawn) -> str:
    return sha256(msgspec.json.encode(game, order="deterministic")).hexdigest()


@pytest.mark.clause("X12", "X83")
@pytest.mark.parametrize(("mode", "code"), list(FROZEN))
def test_a_code_gives_the_same_game_for_ever(mode: str, code: str) -> None:
    game = draw_game(MODES[mode], code)
    assert digest(game) == FROZEN[mode, code], game


@pytest.mark.thorough
@pytest.mark.clause("X12")
def test_codes_tell_games_apart() -> None:
    numbers = range(0, CODES, CODES // 20)
    assert len({digest(draw_game(STANDARD, code_of(number))) for number in numbers}) == len(numbers)
    assert draw_game(STANDARD, "aktwe") == draw_game(STANDARD, " AKTWE ")
    assert draw_game(STANDARD, "AKTWE") is draw_game(STANDARD, "AKTWE"), "who sets up a match asks again and again"


@pytest.mark.clause("X12")
def test_codes_are_easy_to_type_and_to_read_aloud() -> None:
    assert not set(LETTERS) & set("0OQD1I5SZ2B8G6UV")
    assert len(set(LETTERS)) == len(LETTERS) == 16
    assert code_of(0) == VERSION + 4 * LETTERS[0]
    assert code_of(CODES - 1) == VERSION + 4 * LETTERS[-1]
    assert len({code_from_seed(seed) for seed in range(300)}) > 290
    assert all(check_code(code_from_seed(seed)) for seed in range(300))


@pytest.mark.clause("X12")
@pytest.mark.parametrize("code", ["", "AAAA", "AAAAAA", "BAAAA", "AOOOO", "A12 4"])
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(Invalid, match="game code") as refusal:
        draw_game(STANDARD, code)
    assert refusal.value.clauses == ("X12",)


@pytest.mark.clause("X83")
def test_draws_are_a_sha_256_counter() -> None:
    block = sha256(b"name/0").digest()
    assert Stream("name").below(1000) == int.from_bytes(block[:8], "big") % 1000
    stream = Stream("dice")
    rolls = [stream.below(6) for _ in range(6000)]
    assert all(850 < rolls.count(face) < 1150 for face in range(6))
    assert sorted(Stream("deck").shuffle(range(52))) == list(range(52))


@pytest.mark.quick(1)
@pytest.mark.clause("X40", "X45", "X46", "X47", "X48", "X14")
@pytest.mark.parametrize(("mode", "games"), [(STANDARD, 20), (EXPERT, 3)])
def test_every_game_passes_every_gate(mode: SkyMode, games: int) -> None:
    found = report(mode, games)
    assert found.broken == {}
    assert found.fewest >= 2
    assert max(found.imbalance) <= FACTOR


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.clause("X40", "X45", "X46", "X47", "X48", "X14")
@pytest.mark.parametrize("mode", [STANDARD, EXPERT])
def test_a_thousand_games_pass_every_gate(mode: SkyMode) -> None:
    assert report(mode, 1000).broken == {}


@pytest.mark.clause("X13", "X14")
@pytest.mark.parametrize("mode", [STANDARD, EXPERT])
def test_starting_facts_come_in_three_tiers(mode: SkyMode) -> None:
    game = draw_game(mode, "AKTWE")
    assert tuple(season.season for season in game.starting) == SEASONS
    assert len({season.facts for season in game.starting}) == 4
    for season in game.starting:
        facts = season.facts
        assert len(facts) == len({fact.sector for fact in facts}) == 12
        assert all(fact.sector in mode.comet_sectors for fact in facts[:4])
        assert not any(fact.sector in mode.comet_sectors for fact in facts[4:8])
        assert [fact.p == "C" for fact in facts[:8]] == [False] * 8
        assert sum(fact.p == "C" for fact in facts[8:]) == 1
        assert {fact.p for fact in facts} <= set("ACDG")
        assert {fact.sector in mode.comet_sectors for fact in facts[8:]} == {True, False}


@pytest.mark.parametrize(
    ("clause", "change"),
    [
        pytest.param(
            "X45", lambda g: lie(g, "topics", Fact("band", "A", n=2, id="A")), marks=pytest.mark.clause("X45")
        ),
        pytest.param(
            "X45",
            lambda g: lie(g, "conferences", Fact("x_not_adjacent", "D", id="X1")),
            marks=pytest.mark.clause("X45"),
        ),
        pytest.param("X40", lambda g: lie(g, "topics", g.topics[1]), marks=pytest.mark.clause("X40")),
        pytest.param(
            "X46",
            lambda g: lie(g, "conferences", Fact("x_not_adjacent", "D", id="X1")),
            marks=pytest.mark.clause("X46"),
        ),
        pytest.param("X48", lambda g: with_season(g, poor(g)), marks=pytest.mark.clause("X48")),
        pytest.param("X14", lambda g: with_season(g, turned(g)), marks=pytest.mark.clause("X14")),
        pytest.param("X7", lambda g: msgspec.structs.replace(g, board="A" * 12), marks=pytest.mark.clause("X1")),
    ],
)
def test_a_gate_notices_a_bad_game(clause: str, change: object) -> None:
    game = draw_game(STANDARD, "AKTWE")
    assert broken_clauses(game) == ()
    assert callable(change)
    assert clause in broken_clauses(change(game))


@pytest.mark.clause("X47")
def test_a_gate_notices_topics_that_tell_everything() -> None:
    game = draw_game(STANDARD, "AKTWE")
    whole = tuple(Fact("in_sector", letter, sector=s) for s, letter in enumerate(game.board[:6], 1))
    assert boards_left((*whole, *game.topics, *game.conferences), STANDARD) < 2
    assert "X47" in broken_clauses(msgspec.structs.replace(game, topics=(*game.topics, *whole)))


def lie(game: Drawn, where: str, fact: Fact) -> Drawn:
    facts = (fact, *getattr(game, where)[1:])
    return msgspec.structs.replace(game, **{where: facts})


def with_season(game: Drawn, facts: tuple[Fact, ...]) -> Drawn:
    spring = msgspec.structs.replace(game.starting[0], facts=facts)
    return msgspec.structs.replace(game, starting=(spring, *game.starting[1:]))


def poor(game: Drawn) -> tuple[Fact, ...]:
    """A season that learns nothing beyond its first fact."""
    facts = game.starting[0].facts
    assert imbalance(STANDARD, (facts[:1] * 12, facts))[2] > FACTOR
    return facts[:1] * 12


def turned(game: Drawn) -> tuple[Fact, ...]:
    """A season whose first tier comes last."""
    facts = game.starting[0].facts
    return facts[4:] + facts[:4]
