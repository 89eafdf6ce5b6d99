"""Every flat piece is read as a print, whoever made the set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vision.faces import tile
from vision.recognition.enrolment import EnrolledSet, save
from vision.recognition.naming import PieceSet
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.readers import Reader, loader, reader_of
from vision.recognition.recogniser import EnrolledRecogniser


@pytest.mark.parametrize(
    ("thickness_mm", "printed", "reader"),
    [(0.3, False, PrintedRecogniser), (4.0, True, PrintedRecogniser), (4.0, False, EnrolledRecogniser)],
)
def test_paper_and_cards_take_the_path_of_prints_by_themselves(
    tmp_path: Path, thickness_mm: float, printed: bool, reader: type[Reader]
) -> None:
    pieces = PieceSet("own", ("A", "B"), "card", (63.0, 88.0), thickness_mm, 2, printed=printed)
    save(EnrolledSet("own", 2, {kind: (tile(kind)[:, 20:100],) for kind in pieces.kinds}), tmp_path)
    assert isinstance(loader(pieces)(tmp_path), reader)


def test_a_set_of_prints_without_a_kind_never_names_it() -> None:
    pictures = {kind: (tile(kind)[:, 20:100],) for kind in "ABE"}
    whole = reader_of(EnrolledSet("own", 2, pictures), prints=True)
    assert whole.name(pictures["A"])[0].kind == "A"
    assert whole.without("A").name(pictures["A"])[0].guess in ("B", "E")
    assert whole.threshold < whole.name(pictures["A"])[0].confidence


def test_a_narrow_card_is_read() -> None:
    pictures = {kind: (tile(kind)[:, 36:84],) for kind in "ABE"}
    assert [one.guess for one in PrintedRecogniser(EnrolledSet("bookmarks", 2, pictures)).name([pictures["B"][0]])] == [
        "B"
    ]
