"""What the bench of strangers among cards lays, hides and counts."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from device.games import mats
from referee_simulator.table.setting import make_bodies, piece_set
from tests.enrolled import enrolled
from tests.vision.cards.watched import CARDS
from tools.bench import strangers
from tools.bench.strangers import SIDES, Bench, Figures, Stranger, covering, lines, main, measure_scene
from vision.recognition.prints.averaged import Averaged, average_pictures
from vision.recognition.prints.printed import PrintedRecogniser

MAT = mats(["runes"])["runes"]
SIX = msgspec.structs.replace(piece_set("decktet"), kinds=CARDS)


def prints() -> Averaged:
    return average_pictures(enrolled(MAT, "decktet", 3, CARDS))


@pytest.mark.parametrize("side", SIDES)
def test_another_card_leaves_the_share_in_sight_that_is_asked_for(side: tuple[float, float]) -> None:
    card, other = (msgspec.structs.replace(one, angle=30.0) for one in make_bodies(CARDS[:2], SIX, 0))
    over = covering(card, other, side, 0.25)
    turn = np.radians(30.0)
    along = over.x * np.cos(turn) + over.y * np.sin(turn), over.y * np.cos(turn) - over.x * np.sin(turn)
    assert along == pytest.approx((side[0] * 0.25 * 63.0, side[1] * 0.25 * 88.0))
    assert (over.kind, over.angle) == (CARDS[1], 30.0)


def test_a_set_without_a_kind_never_names_it() -> None:
    assert set(PrintedRecogniser(prints()).without("sea").kinds) == set(prints().kinds) - {"sea"}


@pytest.mark.thorough
def test_cards_are_named_whole_and_in_part_and_as_strangers_never_what_they_are() -> None:
    figures = measure_scene(Bench(MAT, SIX, "easy", 2), prints(), 2, (1.0, 0.6))
    assert [(one.cards, one.right, one.wrong) for one in figures.values()] == [(6, 6, 0), (6, 6, 0)]
    assert all(one.named != one.kind for each in figures.values() for one in each.strangers)
    assert not figures[1.0].strangers


def test_figures_of_scenes_are_added_up_and_told_each_stranger_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = Figures(0.25, 2, 1, 1, (Stranger(7, "sea", "pact", 0.9),))
    both = one.join_figures(Figures(0.25, 3, 3))
    assert both == Figures(0.25, 5, 4, 1, one.strangers)
    assert list(lines([both])) == [
        " 25% in sight, 5 cards: 4 named rightly, 1 wrongly; as strangers 1 named",
        "      sea named pact at 0.900",
    ]
    monkeypatch.setattr(strangers, "measure_all", lambda *_asked: (both,))
    main(["--json"])
    assert json.loads(capsys.readouterr().out) == json.loads(msgspec.json.encode((both,)))
