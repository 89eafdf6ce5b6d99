"""Names and sentences in the club's pages: text, never markup, in the order in which they are read."""

from __future__ import annotations

from pathlib import Path
from unicodedata import bidirectional

import pytest

from extensions.club.tests.test_hall import glance
from referee_club import cards, pages
from referee_club.archive import Archive
from referee_club.markup import Visit, tag, together
from referee_record.public_frames import Seated

NAME, ARABIC = "נועה", "مريم الخالدي"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (NAME, f"<bdi>{NAME}</bdi>"),
        (f"{NAME} 3", f"<bdi>{NAME}</bdi> 3"),
        (f"3 : 2 for {ARABIC}, 14:00", f"3 : 2 for <bdi>{ARABIC}</bdi>, 14:00"),
        (f"{NAME} – {ARABIC}", f"<bdi>{NAME} – {ARABIC}</bdi>"),
        (f"<{NAME}> & Anna", f"&lt;<bdi>{NAME}</bdi>&gt; &amp; Anna"),
        ("Anna 3", "Anna 3"),
        ("安娜 3", "安娜 3"),
    ],
)
def test_words_from_right_to_left_are_set_apart(text: str, written: str) -> None:
    assert together(text) == written
    assert tag("p", text) == f"<p>{written}</p>"


@pytest.mark.parametrize("name", ["option", "textarea", "title"])
def test_where_only_text_may_stand_it_stays_text(name: str) -> None:
    assert tag(name, NAME) == f"<{name}>{NAME}</{name}>"


def test_every_letter_from_right_to_left_counts() -> None:
    letters = [chr(code) for code in range(0x20000) if bidirectional(chr(code)) in {"R", "AL"}]
    letters.remove("\u200f")  # a mark that nobody sees
    assert [letter for letter in letters if together(letter) != f"<bdi>{letter}</bdi>"] == []


def test_the_clubs_pages_set_names_apart(tmp_path: Path) -> None:
    archive, visit = Archive(tmp_path / "club.db"), Visit("en", asked=True)
    seats = (Seated("a", NAME, "", True), Seated("b", "Ben", "", False))
    archive.take_glance("table-1", glance(seats=seats, result=f"{NAME} wins 3 : 2.", winners=("a",)))
    set_apart = f"<bdi>{NAME}</bdi>"
    (match,) = archive.list_matches()
    shown = (
        pages.matches(archive, visit)["matches"],
        pages.match(archive, visit, match.match)["about"],
        pages.players(archive, visit)["league"],
        cards.card(archive.table("table-1"), visit),
        cards.overlay(archive.table("table-1"), visit),
    )
    for each in shown:
        assert set_apart in each
        assert NAME not in each.replace(set_apart, "").replace(f'"{NAME}"', "")
    archive.close()
