"""Every flat piece is read as a print, whoever made the set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.vision.faces import Image, tile
from vision.recognition.enrolment import EnrolledSet, save
from vision.recognition.naming import PieceSet
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.witnessed import WitnessedPrints
from vision.recognition.readers import Reader, loader, reader_of
from vision.recognition.recogniser import EnrolledRecogniser, KindMatch


@pytest.mark.parametrize(
    ("thickness_mm", "printed", "reader"),
    [
        (0.3, False, WitnessedPrints),
        (0.3, True, PrintedRecogniser),
        (4.0, True, PrintedRecogniser),
        (4.0, False, EnrolledRecogniser),
    ],
)
def test_paper_and_cards_take_the_path_of_prints_by_themselves(
    tmp_path: Path, thickness_mm: float, printed: bool, reader: type[Reader]
) -> None:
    pieces = PieceSet("own", ("A", "B"), "card", (63.0, 88.0), thickness_mm, 2, printed=printed)
    save(EnrolledSet("own", 2, {kind: (tile(kind)[:, 20:100],) for kind in pieces.kinds}), tmp_path)
    assert type(loader(pieces)(tmp_path)) is reader


def test_a_set_of_prints_without_a_kind_never_names_it() -> None:
    pictures = {kind: (tile(kind)[:, 20:100],) for kind in "ABE"}
    whole = reader_of(EnrolledSet("own", 2, pictures), PieceSet("own", tuple("ABE"), "card", (63.0, 88.0), 0.3, 2))
    assert whole.name(pictures["A"])[0].kind == "A"
    assert whole.without("A").name(pictures["A"])[0].guess in ("B", "E")
    assert whole.threshold < whole.name(pictures["A"])[0].confidence


def test_a_narrow_card_is_read() -> None:
    pictures = {kind: (tile(kind)[:, 36:84],) for kind in "ABE"}
    assert [one.guess for one in PrintedRecogniser(EnrolledSet("bookmarks", 2, pictures)).name([pictures["B"][0]])] == [
        "B"
    ]


class Told(EnrolledRecogniser):
    """A network that gives the same answer for everything."""

    def __init__(self, enrolled: EnrolledSet, kind: str, confidence: float) -> None:
        super().__init__(enrolled)
        self._kind, self._sure = kind, confidence

    def match(self, crops: Sequence[Image]) -> list[KindMatch]:
        known = super().match(crops)
        return [msgspec.structs.replace(match, kind=self._kind, confidence=self._sure) for match in known]


def test_a_flat_face_gets_no_name_that_the_network_denies() -> None:
    enrolled = EnrolledSet("own", 2, {kind: (tile(kind)[:, 20:100],) for kind in "ABE"})
    face, stranger = tile("A")[:, 20:100], np.asarray(tile("A")[:, 20:100] // 2 + tile("K")[:, 20:100] // 2, np.uint8)
    alone = PrintedRecogniser(enrolled)
    assert (alone.name([face])[0].kind, alone.name([stranger])[0].kind) == ("A", None)

    def named(picture: Image, kind: str, confidence: float) -> str | None:
        return WitnessedPrints(enrolled, Told(enrolled, kind, confidence)).name([picture])[0].kind

    assert named(face, "A", 0.1) == "A"
    assert named(face, "B", 0.1) is None
    assert named(stranger, "A", 0.99) == "A", "the network alone is sure, and the print agrees"
    assert named(stranger, "A", 0.5) is None
    assert named(stranger, "B", 0.99) is None
