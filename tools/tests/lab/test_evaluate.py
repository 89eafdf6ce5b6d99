"""The yardstick: its figures from answers made by hand, and a run over pictures on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import cv2
import pytest

from tests.vision.faces import lit, tile
from tests.vision.recognition.test_review import square
from tools.lab.evaluate import (
    POOR,
    Answer,
    Bin,
    Evaluation,
    LeftOut,
    Named,
    Round,
    Stranger,
    auroc,
    calibration_error,
    evaluate,
    lines,
    main,
    poor,
    reliability,
    strangers,
    summary,
)
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, EnrolmentError
from vision.recognition.index import Symmetry
from vision.recognition.quality import Problem
from vision.recognition.recogniser import THRESHOLD

SURE, HALF, LOW = THRESHOLD + 0.009, THRESHOLD - 0.1, THRESHOLD - 0.3


def answer(truth: str | None, kind: str, confidence: float) -> Answer:
    return Answer(truth, Named(kind, confidence))


def test_all_right() -> None:
    figures = summary([answer("A", "A", SURE), answer("B", "B", HALF)], seconds=0.002)
    assert (figures.items, figures.top1, figures.coverage_at_zero_error, figures.auroc_unknown) == (2, 1.0, 1.0, None)
    assert (figures.accepted, figures.wrong_accepted, figures.ms_per_item) == (0.5, 0.0, 1.0)


def test_an_unknown_piece_sets_the_bar_for_coverage() -> None:
    answers = [answer("A", "A", SURE), answer("A", "A", LOW), answer(None, "A", HALF), answer("B", "B", HALF)]
    figures = summary(answers, seconds=0.0)
    assert figures.coverage_at_zero_error == pytest.approx(1 / 3)
    assert figures.auroc_unknown == pytest.approx((1 + 0 + 0.5) / 3)
    assert (figures.accepted, figures.wrong_accepted, figures.top1) == (0.25, 0.0, 1.0)


def test_a_wrong_name_counts_as_wrong_and_sets_the_bar() -> None:
    answers = [answer("A", "B", SURE), answer("A", "A", HALF), answer(None, "A", SURE), answer("B", "B", 1.0)]
    figures = summary(answers, seconds=0.0)
    assert figures.top1 == pytest.approx(2 / 3)
    assert figures.coverage_at_zero_error == pytest.approx(1 / 3)
    assert (figures.accepted, figures.wrong_accepted) == (0.75, 0.5)


def test_auroc() -> None:
    assert auroc([0.9, 0.8], [0.1]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5], [0.5]) == 0.5
    assert auroc([0.5], []) is None


def photographed(folder: Path) -> Path:
    for kind in "ABEKRS":
        for part in ("enrol", "test"):
            (folder / part / kind).mkdir(parents=True)
        for shot in range(3):
            cv2.imwrite(str(folder / "enrol" / kind / f"{shot}.jpg"), lit(tile(kind), (1, 1, 1), seed=shot))
            cv2.imwrite(str(folder / "test" / kind / f"{shot}.jpg"), lit(tile(kind), (0.7, 1.0, 1.2), seed=9 + shot))
    (folder / "test" / UNKNOWN).mkdir()
    for stranger in "XZ8":
        cv2.imwrite(str(folder / "test" / UNKNOWN / f"{stranger}.jpg"), tile(stranger, "red"))
    return folder


@pytest.mark.thorough
def test_a_folder_of_pictures(tmp_path: Path) -> None:
    figures = evaluate(photographed(tmp_path), shots=1)
    assert figures.items == 21
    assert figures.top1 == 1.0
    assert figures.wrong_accepted == 0.0
    assert figures.auroc_unknown is not None
    assert figures.auroc_unknown > 0.95
    assert figures.ms_per_item > 0


def test_without_known_pieces_nothing_is_said_of_them() -> None:
    figures = summary([answer(None, "A", LOW)], seconds=0.0)
    assert (figures.top1, figures.coverage_at_zero_error, figures.auroc_unknown) == (None, None, None)
    assert (figures.items, figures.accepted, figures.wrong_accepted) == (1, 0.0, 0.0)


@pytest.mark.thorough
def test_what_cannot_be_read_is_skipped_counted_and_named(tmp_path: Path) -> None:
    folder = photographed(tmp_path)
    (folder / "test" / "A" / "1.jpg").write_bytes(b"broken")
    (folder / "test" / "B" / "9.heic").write_bytes(b"\0\0\0\x18ftypheic")
    (folder / "enrol" / "B" / "notes.txt").write_text("taken on Sunday")
    (folder / "test" / "__MACOSX" / "A").mkdir(parents=True)
    warned: list[str] = []
    figures = evaluate(folder, shots=1, warn=warned.append)
    assert (figures.items, figures.skipped, figures.top1) == (20, 3, 1.0)
    (told,) = warned
    assert "3 files" in told
    assert all(each in told for each in ("enrol/B/notes.txt", "test/A/1.jpg (broken)", "test/B/9.heic (HEIC", "JPEG"))


def test_pictures_to_learn_from_that_could_be_better_are_told() -> None:
    dark, small = tile("A") // 20, tile("B")[:1, :1]
    told = poor(EnrolledSet("letters", "any", {"A": (dark, dark), "B": (small,), "C": (tile("C"),)}))
    assert told == [
        "pictures to learn from are too dark: A",
        "pictures to learn from are blurred, or too small: B",
    ]


def test_kinds_that_are_one_but_for_a_turn_or_a_tint_are_told_by_pairs() -> None:
    told = poor(EnrolledSet("forms", "any", {"Square": (square(0.0),), "Diamond": (square(45.0),), "A": (tile("A"),)}))
    assert told == ["pictures to learn from differ only by a turn: Square and Diamond"]
    assert set(POOR) == set(get_args(Problem)) - {"shiny"}, "of a lamp only what a camera gave says anything"


def test_a_person_reads_shares_in_percent() -> None:
    told = lines(Evaluation(3, 2 / 3, None, None, 1 / 3, 0.0, 0.5149999))
    shown = ["3", "66.67%", "-", "-", "33.33%", "0.00%", "0.51", "0", "0.000", "0.930"]
    assert [line.split()[1] for line in told] == shown


def test_a_person_reads_what_was_asked_for_besides() -> None:
    bins, left = (Bin(0.9, 2, 0.95, 1.0),), LeftOut(3, 1 / 3, 0.9876, (Stranger("A", "B", 0.951),))
    asked = Evaluation(
        2, 1.0, 1.0, None, 1.0, 0.0, 1.0, ece=0.05, reliability=bins, left_out=left, checked=Round(4, 3, 1, 2)
    )
    assert lines(asked)[-4:] == [
        "  confidence 0.9 to 1.0: 2 items, 0.950 on the mean, 1.000 right",
        "check round: 3 of 4 named right, 1 wrong; 2 pictures were learnt from and check nothing",
        "each kind left out in turn: 33.33% of 3 were named all the same (AUROC 0.988)",
        "  A named B at 0.951",
    ]


def test_confidence_is_held_against_how_often_it_was_right() -> None:
    answers = [answer("A", "A", 1.0), answer("A", "B", 0.9), answer("B", "B", 0.55), answer(None, "B", 0.51)]
    found = reliability(answers)
    assert [(each.low, each.items, each.right) for each in found] == [(0.5, 2, 0.5), (0.9, 2, 0.5)]
    assert [each.confidence for each in found] == pytest.approx([0.53, 0.95])
    assert calibration_error(found) == pytest.approx((2 * 0.03 + 2 * 0.45) / 4)
    assert summary(answers, 0.0).ece == calibration_error(found)


def test_any_name_of_a_kind_that_was_left_out_is_wrong() -> None:
    known = [answer("A", "A", 0.99), answer("B", "B", 0.94)]
    found = [("A", Named("B", 0.95)), ("B", Named("A", 0.3))]
    left = strangers(known, found, 0.93)
    assert left == LeftOut(2, 0.5, 0.75, (Stranger("A", "B", 0.95),))
    assert strangers(known, found, 0.96).named == 0.0


@pytest.mark.thorough
def test_each_kind_in_turn_is_a_stranger(tmp_path: Path) -> None:
    left = evaluate(photographed(tmp_path), shots=1, leave_out=True).left_out
    assert left is not None
    assert left.items == 18  # what is of no kind anyway is not left out once more
    assert left.named == 0.0
    assert left.auroc is not None
    assert left.auroc > 0.95


def test_a_kind_alone_cannot_be_left_out(tmp_path: Path) -> None:
    for part in ("enrol", "test"):
        (tmp_path / part / "A").mkdir(parents=True)
        cv2.imwrite(str(tmp_path / part / "A" / "1.png"), tile("A"))
    with pytest.raises(EnrolmentError, match="one kind alone"):
        evaluate(tmp_path, leave_out=True)


@pytest.mark.thorough
def test_a_check_round_sets_the_threshold(tmp_path: Path) -> None:
    folder, again = photographed(tmp_path / "set"), tmp_path / "again"
    for kind, laid in {"A": "A", "B": "R"}.items():  # an R among the Bs
        (again / kind).mkdir(parents=True)
        cv2.imwrite(str(again / kind / "1.png"), tile(laid))
    plain, checked = evaluate(folder, shots=1), evaluate(folder, shots=1, check=again)
    assert (plain.checked, plain.threshold) == (None, THRESHOLD)
    assert checked.checked == Round(2, 1, 1)
    assert THRESHOLD < checked.threshold < 1
    assert checked.accepted <= plain.accepted


@pytest.mark.thorough
def test_what_was_learnt_from_checks_nothing(tmp_path: Path) -> None:
    folder = photographed(tmp_path)
    checked = evaluate(folder, shots=1, check=folder / "enrol").checked
    assert checked is not None
    assert (checked.items, checked.learnt) == (12, 6)
    with pytest.raises(EnrolmentError, match="all were learnt from"):
        evaluate(folder, check=folder / "enrol")


@pytest.mark.thorough
def test_a_check_round_skips_what_the_test_pictures_skip_and_tells_it_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, again = photographed(tmp_path / "set"), tmp_path / "again"
    for kind in ("A", UNKNOWN):
        (again / kind).mkdir(parents=True)
        cv2.imwrite(str(again / kind / "1.png"), tile(kind if kind == "A" else "X"))
    monkeypatch.setattr("vision.pictures.LONGEST", 1_000_000)
    told: list[list[str]] = []
    for part in (folder / "test" / "A", again / "A"):
        (part / "2.png").write_bytes(bytes(1_000_001))
        (part / "3.png").write_bytes(b"broken")
        warned: list[str] = []
        figures = evaluate(folder, shots=1, check=again, warn=warned.append)
        assert (figures.skipped, figures.checked and figures.checked.items) == (2, 1)
        told.append([text.replace(str(again), "test") for text in warned])
        for name in ("2.png", "3.png"):
            (part / name).unlink()
    assert told[0] == told[1]


@pytest.mark.thorough
def test_pieces_of_no_kind_are_neither_learnt_from_nor_check_anything(tmp_path: Path) -> None:
    folder = photographed(tmp_path / "set")
    for part in (folder / "enrol", tmp_path / "again"):
        (part / UNKNOWN).mkdir(parents=True)
        cv2.imwrite(str(part / UNKNOWN / "1.png"), tile("X"))
    (tmp_path / "again" / "A").mkdir()
    cv2.imwrite(str(tmp_path / "again" / "A" / "1.png"), tile("A"))
    checked = evaluate(folder, shots=1, check=tmp_path / "again").checked
    assert checked is not None
    assert (checked.items, checked.learnt) == (1, 0)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnrolmentError, match="enrol: no such folder"):
        evaluate(tmp_path)


def laid_out(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / name), tile(Path(name).parent.name))
    return folder


LAID = ("enrol/A/1.png", "enrol/B/1.png", "test/A/1.png", "test/B/1.png")


def test_the_command_skips_what_is_no_picture_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = laid_out(tmp_path, *LAID)
    (folder / "test" / "B" / "2.png").write_bytes(b"broken")
    (folder / "test" / ".cache").mkdir()
    main([str(folder), "--json"])
    told = capsys.readouterr()
    figures = json.loads(told.out)
    assert (figures["items"], figures["skipped"], figures["top1"]) == (2, 1, 1.0)
    assert (figures["left_out"], figures["checked"]) == (None, None)
    assert told.err == f"1 file of {folder} skipped: test/B/2.png (broken)\n"
    main([str(folder)])
    assert "top1                      100.00%  of the known ones: best kind right\n" in capsys.readouterr().out


def test_the_command_leaves_kinds_out_and_lays_a_check_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, again = laid_out(tmp_path / "set", *LAID), laid_out(tmp_path / "again", "A/1.png")
    cv2.imwrite(str(again / "A" / "2.png"), tile("A", "red"))
    main([str(folder), "--leave-out", "--check", str(again), "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["left_out"]["items"] == 2
    assert (figures["checked"]["items"], figures["checked"]["learnt"]) == (1, 1)
    laid_out(again, "X/1.png")
    with pytest.raises(SystemExit, match=r"again/X: no pictures of X in .*set/enrol to learn from"):
        main([str(folder), "--check", str(again)])


@pytest.mark.parametrize(("given", "wanted"), [("any", "any"), ("4", 4), ("2", 2), ("1", 1)])
def test_the_turns_that_may_occur_reach_the_recogniser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, wanted: Symmetry
) -> None:
    asked: list[Symmetry] = []

    def turns(symmetry: Symmetry, _long: bool) -> tuple[float, ...]:
        asked.append(symmetry)
        return (0.0,)

    monkeypatch.setattr("vision.recognition.gallery.turns", turns)
    main([str(laid_out(tmp_path, "enrol/A/1.png", "enrol/B/1.png", "test/A/1.png")), "--symmetry", given])
    assert asked == [wanted]
