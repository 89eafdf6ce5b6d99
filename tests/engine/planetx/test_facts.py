"""Facts: what each form means, on one board and on all (X40-X46, X80-X82)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.planetx.boards import legal_boards
from engine.planetx.draw import boards_left, open_sectors, says_something, title_kinds, titles
from engine.planetx.facts import (
    FORMS,
    Fact,
    answer_text,
    conference_facts,
    flaws,
    holds,
    research_facts,
    sentence,
    survey_count,
    target_kind,
    title,
    truth,
)
from engine.planetx.sky import EXPERT, STANDARD, SkyMode, faults, mask_of, run
from tests.engine.planetx.tables import BOARD, CONFERENCES, TOPICS

ANSWERED = (
    Fact("survey", "A", n=2, sector=11, last=2),
    Fact("survey", "E", n=2, sector=3, last=8),
    Fact("target", "E", sector=4),
    Fact("target", "G", sector=4),
    Fact("not_located", "C", "A", sector=4),
    Fact("located", "C", "A", sector=4),
    Fact("located", "E", "E", sector=12),
    Fact("some_adjacent", "A", "A"),
    Fact("none_within", "E", "G", 2),
    Fact("in_sector", "E", sector=3),
    Fact("not_in_sector", "X", sector=9),
)


def distance(a: int, b: int, n: int) -> int:
    return min((a - b) % n, (b - a) % n)


def by_hand(fact: Fact, board: str) -> bool:
    """The meaning of a form, written once more, with lists of sectors and distances."""
    n, ps, qs = len(board), places(board, fact.p), places(board, fact.q)
    xs, reach = places(board, "X"), fact.n or 0
    near = {"adjacent": range(1, 2), "opposite": range(n // 2, n // 2 + 1), "within": range(1, reach + 1)}
    quantity, _, relation = fact.form.partition("_")
    if quantity == "x":
        met = any(distance(xs[0], p, n) in near[relation.removeprefix("not_")] for p in ps)
        return met != relation.startswith("not_")
    if fact.form in ("none_within_self", "some_opposite_self"):
        pairs = [distance(a, b, n) for a in ps for b in ps if a < b]
        return all(d > reach for d in pairs) if "none" in quantity else n // 2 in pairs
    if fact.form == "band":
        return any(set(ps) <= set(run(s, (s + reach - 2) % n + 1, n)) for s in range(1, n + 1))
    if fact.form == "consecutive":
        length = fact.n or len(ps)
        return any(set(run(s, (s + length - 2) % n + 1, n)) <= set(ps) for s in range(1, n + 1))
    each = [any(distance(p, q, n) in near[relation] for q in qs) for p in ps]
    return {"some": any(each), "every": all(each), "none": not any(each)}[quantity]


def places(board: str, kind: str | None) -> list[int]:
    return [s for s, letter in enumerate(board, 1) if letter == kind]


@pytest.mark.clause("X41", "X42", "X44")
@pytest.mark.parametrize("mode", [STANDARD, EXPERT])
def test_a_form_means_what_its_sentence_says(mode: SkyMode) -> None:
    boards = legal_boards(mode)
    some = [boards.letters(k) for k in range(7, len(boards), len(boards) // 25)]
    for fact in (*research_facts(mode), *conference_facts()):
        for board in some:
            assert holds(fact, mode, board) == by_hand(fact, board), (fact, board)


@pytest.mark.thorough
@pytest.mark.clause("X41", "X42", "X44")
def test_all_boards_at_once_agree_with_each_alone() -> None:
    boards = legal_boards(STANDARD)
    some = range(0, len(boards), 61)
    for fact in (*research_facts(STANDARD), *conference_facts(), *ANSWERED):
        at_once = truth(fact, STANDARD)
        assert [bool(at_once >> k & 1) for k in some] == [holds(fact, STANDARD, boards.letters(k)) for k in some], fact


@pytest.mark.clause("X31")
def test_counts_on_all_boards_agree_with_each_alone() -> None:
    boards = legal_boards(STANDARD)
    for kind in "ACDEG":
        for first, last in ((1, 6), (11, 2), (5, 5)):
            sectors = run(first, last, 12)
            found = [boards.showing(kind, sectors, number) for number in range(len(sectors) + 1)]
            for k in range(0, len(boards), 97):
                count = survey_count(boards.letters(k), kind, sectors)
                assert [one >> k & 1 for one in found] == [number == count for number in range(len(found))]


@pytest.mark.clause("X31", "X33")
def test_planet_x_shows_as_empty() -> None:
    assert target_kind(BOARD, 4) == "E"
    assert target_kind(BOARD, 1) == "E"
    assert target_kind(BOARD, 3) == "C"
    assert survey_count(BOARD, "E", (3, 4, 5)) == 1
    assert survey_count(BOARD, "E", (1, 2, 3, 4, 5, 6, 7)) == 3


@pytest.mark.clause("X40")
@pytest.mark.parametrize("mode", [STANDARD, EXPERT])
def test_topics_are_about_one_or_two_kinds_and_never_about_planet_x(mode: SkyMode) -> None:
    assert all(1 <= len(kinds) <= 2 and set(kinds) <= set("ACDG") for kinds in titles(mode))
    assert len(titles(mode)) == (9 if mode is STANDARD else 10)
    assert not any("Planet X" in str(sentence(fact)) for fact in research_facts(mode))
    assert title_kinds(Fact("some_adjacent", "G", "A")) == title_kinds(Fact("every_opposite", "A", "G"))


@pytest.mark.clause("X43", "X44")
def test_ranges() -> None:
    def ranges(form: str, facts: tuple[Fact, ...]) -> tuple[int, int]:
        found = [fact.n for fact in facts if fact.form == form and fact.n is not None]
        return min(found), max(found)

    assert ranges("band", research_facts(STANDARD)) == (2, 6)
    assert ranges("band", research_facts(EXPERT)) == (2, 8)
    assert ranges("every_within", research_facts(STANDARD)) == ranges("every_within", research_facts(EXPERT)) == (2, 4)
    for form in ("none_within", "none_within_self"):
        assert ranges(form, research_facts(STANDARD)) == (2, 4)
        assert ranges(form, research_facts(EXPERT)) == (2, 6)
    assert ranges("x_within", conference_facts()) == (2, 5)
    assert ranges("x_not_within", conference_facts()) == (2, 3)


@pytest.mark.clause("X42")
def test_three_is_the_only_number_of_consecutive_dwarf_planets_that_says_something() -> None:
    facts = [fact for fact in research_facts(EXPERT) if fact.form == "consecutive" and fact.p == "D"]
    assert [fact.n for fact in facts] == [3]
    left = [boards_left([Fact("consecutive", "D", n=n)], EXPERT) for n in (2, 3, 4)]
    assert len(legal_boards(EXPERT)) == left[0] > left[1] > left[2] == 0


@pytest.mark.clause("X45")
def test_what_is_true_on_every_board_says_nothing() -> None:
    assert not says_something(Fact("x_not_adjacent", "D"), STANDARD)
    assert not says_something(Fact("band", "D", n=6), EXPERT)
    assert says_something(Fact("band", "D", n=5, q=None), EXPERT)
    assert says_something(Fact("not_in_sector", "C", sector=2), STANDARD)
    assert not says_something(Fact("not_in_sector", "C", sector=4), STANDARD)


@pytest.mark.clause("X80", "X83")
@pytest.mark.parametrize("board", ["AAAACEGDEGCX", "GCCXAADAAGEE", "ECCXEGAAAADG", "AAEDCAAGEGCX"])
def test_published_boards_are_legal(board: str) -> None:
    boards = legal_boards(STANDARD)
    assert faults(STANDARD, board) == ()
    assert board in {boards.letters(k) for k in range(len(boards))}


@pytest.mark.clause("X81", "X83")
def test_the_facts_of_the_published_game_are_true() -> None:
    assert faults(STANDARD, BOARD) == ()
    for fact in (*TOPICS, *CONFERENCES):
        assert holds(fact, STANDARD, BOARD), fact
        assert replace(fact, id="") in (*research_facts(STANDARD), *conference_facts())
    assert len({title_kinds(fact) for fact in TOPICS}) == 6


@pytest.mark.clause("X46")
def test_conference_facts_are_judged_with_the_rest_of_the_sky_known() -> None:
    assert open_sectors((Fact("x_within", "A", n=2),), STANDARD, BOARD) == (4, 7)
    assert open_sectors((Fact("x_within", "C", n=2),), STANDARD, BOARD) == (1, 4)
    assert open_sectors((Fact("x_not_within", "G", n=3),), STANDARD, "EGCXAAEGAACD") == ()


@pytest.mark.clause("X41", "X42", "X44")
def test_every_form_has_its_sentence_and_title() -> None:
    facts = (*research_facts(EXPERT), *conference_facts(), Fact("not_in_sector", "A", sector=3), *ANSWERED)
    said = {str(answer_text(fact)) for fact in ANSWERED} | {str(sentence(f)) for f in facts if f.form in FORMS}
    assert all(text and "{" not in text for text in said)
    assert str(title(Fact("some_adjacent", "G", "A"))) == "asteroids and gas clouds"
    assert str(sentence(Fact("none_within_self", "C", n=2))) == "No comet is within 2 sectors of another comet."
    assert str(sentence(Fact("x_not_opposite", "G"))) == "Planet X is not opposite a gas cloud."


@pytest.mark.clause("X14")
def test_a_starting_fact_reads_as_it_must() -> None:
    assert str(sentence(Fact("not_in_sector", "A", sector=3))) == "Sector 3 is not an asteroid."


@pytest.mark.parametrize(
    "fact",
    [
        Fact("no_such_form", "A"),
        Fact("some_adjacent", "A"),
        Fact("some_adjacent", "A", "Q"),
        Fact("band", "A"),
        Fact("band", "A", n=13),
        Fact("every_within", "A", "C", 7),
        Fact("not_in_sector", "A"),
        Fact("not_in_sector", "A", sector=13),
        Fact("x_within", None, n=2),
    ],
)
def test_senseless_facts_are_named(fact: Fact) -> None:
    assert flaws(fact, STANDARD)


@pytest.mark.parametrize(
    ("sectors", "there"),
    [
        ((1, 2, 3, 7), True),
        ((18, 1, 2, 7), True),
        ((16, 17, 18, 7), True),
        ((1, 2, 4, 5), False),
        ((17, 18, 2, 3), False),
    ],
)
def test_three_in_a_row_begin_in_any_sector(sectors: tuple[int, ...], there: bool) -> None:
    assert bool(FORMS["consecutive"](Fact("consecutive", "D", n=3), EXPERT, mask_of(sectors))) is there
