"""All legal boards: numbers, digest, and each clause of placement on its own (X1-X8)."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.planetx.boards import Boards, enumerate_boards, legal_boards
from engine.planetx.sky import (
    EXPERT,
    STANDARD,
    SkyMode,
    bands,
    beside,
    faults,
    opposite,
    run,
    sectors_of,
    spans,
    within,
)

PER_SECTOR = {
    "standard": (325, 382, 174, 663, 83, 770, 103, 623, 131, 574, 214, 404),
    "expert": (
        *(66264, 58374, 47469, 95073, 36913, 99392, 36863, 86043, 44464),
        *(80582, 34995, 92431, 33250, 80733, 46151, 81127, 44852, 73296),
    ),
}
SHA256 = {
    "standard": "d76a3c26d3607ea3207252b87917541c014a7bc28dc5da823492eaaf07080cb7",
    "expert": "f894e493656f58ad3510bdcc00cc85e7170b20a4d5581bf4875b2d8965caa9c7",
}


def spelt(boards: Boards, step: int = 1) -> list[str]:
    return boards.spelt().decode().splitlines()[::step]


def clauses(mode: SkyMode, board: str) -> set[str]:
    return {breach.clause for breach in faults(mode, board)}


@pytest.mark.clause("X8")
@pytest.mark.parametrize(("mode", "count"), [(STANDARD, 4446), (EXPERT, 1_138_272)])
def test_the_boards_are_exactly_the_known_ones(mode: SkyMode, count: int) -> None:
    boards = enumerate_boards(mode)
    assert len(boards) == count
    assert boards.per_sector() == PER_SECTOR[mode.name]
    assert sum(boards.per_sector()) == count
    assert boards.digest() == SHA256[mode.name]


@pytest.mark.clause("X8")
def test_boards_are_sorted_and_each_is_there_once() -> None:
    boards = legal_boards(STANDARD)
    letters = spelt(boards)
    assert letters == sorted(set(letters))
    assert letters[17] == boards.letters(17)


@pytest.mark.clause("X1", "X2")
@pytest.mark.parametrize(("mode", "step"), [(STANDARD, 1), (EXPERT, 997)])
def test_every_board_holds_the_right_number_of_each_kind(mode: SkyMode, step: int) -> None:
    for board in spelt(legal_boards(mode), step):
        assert Counter(board) == dict(mode.counts)
        assert len(board) == mode.sectors


@pytest.mark.quick(1)
@pytest.mark.clause("X3", "X4", "X5", "X6", "X7")
@pytest.mark.parametrize(("mode", "step"), [(STANDARD, 1), (EXPERT, 997)])
def test_every_board_keeps_the_rules_of_placement(mode: SkyMode, step: int) -> None:
    """Checked on letters, without masks: nothing of the enumeration is used."""
    for board in spelt(legal_boards(mode), step):
        neighbours = [board[k - 1] + board[(k + 1) % mode.sectors] for k in range(mode.sectors)]
        for k, letter in enumerate(board):
            assert letter != "C" or k + 1 in mode.comet_sectors
            assert letter != "A" or "A" in neighbours[k]
            assert letter != "G" or "E" in neighbours[k]
            assert letter != "X" or "D" not in neighbours[k]
        if mode is EXPERT:
            assert any(
                turned[0] == turned[5] == "D" and turned[:6].count("D") == 4
                for turned in (board[k:] + board[:k] for k in range(18))
            )
        assert faults(mode, board) == ()


@pytest.mark.clause("X1")
@pytest.mark.parametrize("board", ["", "EGCXAAEGAAC", "EGCXAAEGAACDE", "EGCXAAEGAAC?", "egcxaaegaacd"])
def test_a_board_is_one_letter_a_sector(board: str) -> None:
    assert clauses(STANDARD, board) == {"X1"}


@pytest.mark.parametrize(
    ("board", "clause"),
    [
        pytest.param("EGCXAAEGAACA", "X2", marks=pytest.mark.clause("X2")),
        pytest.param("CGEXAAEGAACD", "X3", marks=pytest.mark.clause("X3")),
        pytest.param("AGCXAEEGAACD", "X4", marks=pytest.mark.clause("X4")),
        pytest.param("ECGXAAEGAACD", "X5", marks=pytest.mark.clause("X5")),
        pytest.param("EGCDAAEGAAXC", "X3", marks=pytest.mark.clause("X3")),
        pytest.param("DGCEAAEGAACX", "X6", marks=pytest.mark.clause("X6")),
    ],
)
def test_a_board_is_illegal_for_its_reason(board: str, clause: str) -> None:
    assert clause in clauses(STANDARD, board)


@pytest.mark.clause("X5")
def test_planet_x_does_not_feed_a_gas_cloud_and_two_clouds_may_share_a_sector() -> None:
    assert "X5" in clauses(STANDARD, "XGCEAADGEAAC"[:12])
    shared = next(board for board in spelt(legal_boards(STANDARD)) if "GEG" in board)
    assert faults(STANDARD, shared) == ()


@pytest.mark.clause("X7")
@pytest.mark.parametrize(
    ("sectors", "legal"),
    [((1, 2, 3, 6), True), ((16, 17, 1, 3), True), ((1, 2, 3, 4), False), ((1, 3, 5, 7), False), ((18, 1, 2, 5), True)],
)
def test_expert_dwarf_planets_span_exactly_six(sectors: tuple[int, ...], legal: bool) -> None:
    assert spans(sum(1 << (s - 1) for s in sectors), 6, 18) is legal


@pytest.mark.thorough
@pytest.mark.clause("X7")
def test_a_wrong_span_is_named() -> None:
    board = spelt(legal_boards(EXPERT), 10**6)[0].replace("D", "#").replace("E", "D", 4).replace("#", "E")
    assert "X7" in clauses(EXPERT, board)


def test_the_circle_closes() -> None:
    assert run(11, 2, 12) == (11, 12, 1, 2)
    assert sectors_of(beside(1, 12)) == (2, 12)
    assert sectors_of(opposite(1 << 3, 12)) == (10,)
    assert sectors_of(within(1 << 4, 2, 12)) == (3, 4, 6, 7)
    assert len(bands(12, 12)) == 1
    assert sectors_of(bands(3, 12)[11]) == (1, 2, 12)


SAID = [
    ("EGCXAAEGAAC", ["A board has 12 letters from ACDEGX."]),
    ("EGCXAAEGAACZ", ["A board has 12 letters from ACDEGX."]),
    ("EGCAXAEGAACD", ["The asteroids in sectors 4, 6 touch no other asteroid."]),
    ("EGCGAAEXAACD", ["The gas clouds in sectors 4 touch no truly empty sector."]),
    ("EGCAAAEGAACD", ["Number of asteroids: 5; there must be 4.", "Number of Planet X: 0; there must be 1."]),
    ("CGEXAAEGAACD", ["The comets in sectors 1 are not allowed there."]),
    (
        "EGCEAAEGAADX",
        [
            "Number of comets: 1; there must be 2.",
            "Number of empty sectors: 3; there must be 2.",
            "Planet X in sector 12 touches a dwarf planet.",
        ],
    ),
]


@pytest.mark.clause("X1", "X2", "X3", "X4", "X5", "X6")
@pytest.mark.parametrize(("board", "sentences"), SAID)
def test_what_is_wrong_with_a_board_is_said(board: str, sentences: list[str]) -> None:
    assert [str(breach.text) for breach in faults(STANDARD, board)] == sentences
