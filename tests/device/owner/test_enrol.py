"""Enrolling as a task of steps: what is asked, what is said of a picture, the check round, and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from device.enrolment import NothingThere, Taken, nothing
from device.owner.enrol import Enrolling, Learning
from engine.text import say
from tests.vision.faces import Image, lit, tile
from vision.recognition import recogniser
from vision.recognition.check_round import USUAL, LaidPiece, read_checked, threshold
from vision.recognition.enrolment import load
from vision.recognition.index import CHECKED, Index, read_index
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import Measured, Outline, with_measurements

PIECES = PieceSet("letters", ("A", "B"), "square", (30.0, 30.0), 5.0, symmetry=1, backs=False)
EMPTY = np.zeros((360, 640, 3), np.uint8)
DARK = lit(tile("A"), (0.015, 0.015, 0.015), noise=1)


class Bench:
    """A task before prepared pictures: None stands for a mat on which nothing lies."""

    def __init__(
        self, folder: Path, pictures: Iterable[Image | None], each: int = 1, pieces: PieceSet = PIECES
    ) -> None:
        self._pictures = iter(pictures)
        learning = Learning(pieces, folder, Index(pieces.name, pieces.symmetry, ()))
        self.task = Enrolling(learning, pieces.kinds, each, self._look)
        self.folder = folder

    def _look(self, _image: Image) -> Taken:
        image = next(self._pictures)
        if image is None:
            raise NothingThere(nothing(()))
        return Taken(image, image, Measured(Outline.SQUARE, 24.0, 24.0))

    def choose(self, *words: str) -> None:
        """Each in turn; a picture that is wanted then is there at once."""
        for word in words:
            step = self.task.step()
            self.task.choose([str(text) for text in step.choices].index(word))
            self.task.offer(EMPTY)

    @property
    def now(self) -> str:
        return str(self.task.step().now)

    @property
    def remarks(self) -> list[str]:
        return [str(remark) for remark in self.task.step().remarks]


def test_each_piece_is_asked_for_taken_and_measured(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), tile("A"), tile("B")], each=2)
    assert bench.now == "Lay this alone on the mat, face up: A."
    bench.choose("Next")
    assert bench.now == "A: turn it a little, and move it towards the edge of the mat."
    assert str(bench.task.step().seen) == "Square, 24.0 mm wide."
    bench.choose("Next")
    assert list(load(tmp_path).pictures) == ["A"], "kept as soon as it is whole"
    assert bench.now == "Lay this alone on the mat, face up: B."
    assert (bench.task.step().done, bench.task.step().of) == (2, 4)
    assert with_measurements(PIECES, tmp_path).size_mm == (24.0, 24.0)


def test_nothing_is_looked_at_before_it_was_chosen(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), tile("B")])
    bench.task.offer(EMPTY)
    bench.task.offer(EMPTY)
    assert bench.now == "Lay this alone on the mat, face up: A."
    assert bench.task.step().picture is not None
    bench.task.choose(0)
    assert bench.task.wanted
    assert (bench.now, bench.task.step().choices) == ("Hold still. The camera is taking a picture.", ())
    bench.task.choose(0)
    bench.task.offer(EMPTY)
    assert not bench.task.wanted
    assert bench.now.endswith("B.")


def test_what_cannot_be_taken_says_why_and_the_piece_is_asked_for_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [None, None, tile("A")])
    bench.choose("Next", "Next")
    assert bench.remarks == ["No piece found. Lay exactly one on the mat, and take your hand away."]
    assert bench.now.endswith("A.")
    bench.choose("Next")
    assert bench.remarks == []
    assert bench.now.endswith("B.")


@pytest.mark.parametrize(("word", "kept"), [("Next", tile("A")), ("Keep this picture", DARK)])
def test_a_poor_picture_is_taken_again_or_kept_as_the_owner_says(tmp_path: Path, word: str, kept: Image) -> None:
    bench = Bench(tmp_path, [DARK, tile("A")])
    bench.choose("Next")
    assert bench.remarks == ["A: the picture is too dark. Give it more light and take it again."]
    bench.choose(word)
    assert np.array_equal(load(tmp_path).pictures["A"][0], kept)


def test_again_takes_back_one_picture_then_the_piece_before(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), tile("A"), tile("B"), tile("B"), tile("A"), tile("A")], each=2)
    bench.choose("Next", "Next", "Next", "Again")
    assert bench.now == "Lay this alone on the mat, face up: B."
    bench.choose("Again")
    assert bench.now == "Lay this alone on the mat, face up: A."


def test_again_after_a_poor_picture_takes_no_good_one_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), DARK, tile("B")])
    bench.choose("Next", "Next", "Again", "Next")
    assert np.array_equal(load(tmp_path).pictures["B"][0], tile("B"))


def test_stopping_keeps_what_is_whole_and_says_what_is_missing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A")])
    bench.choose("Next", "Stop")
    assert bench.now == "letters: enrolled. Kinds: 1. Pictures: 1. Size: 24 mm."
    assert bench.remarks == ["Not enrolled, so not recognised: B."]
    assert bench.task.left == ("B",)
    bench.choose("Done")
    assert bench.task.over


def test_what_is_missing_is_called_as_it_was_asked_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A")], pieces=structs.replace(PIECES, backs=True))
    bench.choose("Next", "Stop")
    assert bench.remarks == ["Not enrolled, so not recognised: B, a piece that lies face down."]


def test_a_set_of_which_a_picture_is_broken_says_so_without_a_path(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), tile("B")])
    bench.choose("Next", "Next")
    for picture in tmp_path.glob("*.png"):
        picture.write_bytes(b"broken")
    said = Learning(PIECES, tmp_path, read_index(tmp_path)).review()
    assert said == (say("Some pictures of this set cannot be read. Enrol it again."),)


def test_a_set_of_which_a_picture_is_broken_is_not_checked(tmp_path: Path) -> None:
    def look(image: Image) -> Taken:
        for picture in tmp_path.glob("*.png"):
            picture.write_bytes(b"broken")
        return Taken(image, image, Measured(Outline.SQUARE, 24.0, 24.0))

    learning = Learning(PIECES, tmp_path, Index(PIECES.name, PIECES.symmetry, ()))
    task = Enrolling(learning, PIECES.kinds, 1, look)
    for piece in ("A", "B"):
        task.choose(0)
        task.offer(tile(piece))
    assert str(task.step().now) == "All pictures are taken, but they can't be checked."
    assert [str(text) for text in task.step().choices] == ["Skip this round"]
    task.choose(0)
    assert "Not checked" in str(task.step().remarks[-1])


def through(folder: Path, laid: Sequence[Image]) -> Bench:
    """Both pieces taken, then laid once more."""
    bench = Bench(folder, [tile("A"), tile("B"), *laid])
    bench.choose("Next", "Next", "Check", *["Next"] * len(laid))
    return bench


def test_a_check_round_says_the_bound_that_it_has(tmp_path: Path) -> None:
    bench = through(tmp_path, [tile("A"), tile("B")])
    assert bench.remarks == ["2 of 2 recognised, none wrong. With so few pieces, up to 1 in 3 may still go wrong."]
    assert recogniser.load(tmp_path).threshold == USUAL


def test_a_single_error_tightens_the_threshold_until_the_set_is_enrolled_anew(tmp_path: Path) -> None:
    bench = through(tmp_path, [tile("B"), tile("B")])
    assert bench.remarks[0].startswith("1 of 2 recognised, 1 wrong. The camera will now be stricter")
    strict = recogniser.load(tmp_path)
    assert strict.threshold > USUAL
    checked = read_checked(tmp_path)
    assert checked is not None
    assert strict.threshold == threshold(checked.answers) > checked.answers[0].confidence
    (naming,) = strict.name([lit(tile("A"), (0.3, 0.3, 0.3), noise=14)])
    assert (naming.kind is None) == (naming.confidence < strict.threshold)
    Bench(tmp_path, [tile("A")]).choose("Next")
    assert (tmp_path / CHECKED).exists()
    assert recogniser.load(tmp_path).threshold == USUAL


def test_a_round_that_is_skipped_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [tile("A"), tile("B")])
    bench.choose("Next", "Next", "Skip this round")
    assert bench.remarks == ["Not checked: how reliably the camera recognises these pieces is unknown."]
    assert not (tmp_path / CHECKED).exists()


def laid(*confidences: float, guess: str = "A") -> list[LaidPiece]:
    return [LaidPiece("A", guess, confidence) for confidence in confidences]


@pytest.mark.parametrize(
    ("answers", "fits"),
    [
        (laid(0.99, 0.98), lambda least: least == USUAL),
        (laid(0.99) + laid(0.95, guess="B"), lambda least: least == pytest.approx(0.975)),
        (laid(0.99) * 19 + laid(0.9995, guess="B"), lambda least: least == pytest.approx(0.99975)),
        (laid(*[0.99] * 20, 0.91, 0.92, 0.915), lambda least: least == USUAL),
        (laid(0.99) + laid(0.6, guess="B"), lambda least: least == USUAL),
    ],
    ids=["right", "one error", "a sure error", "some held back", "an error that was held back"],
)
def test_the_threshold_follows_the_round(answers: list[LaidPiece], fits: Callable[[float], bool]) -> None:
    assert fits(threshold(answers))
