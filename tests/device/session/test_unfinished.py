"""An action that is begun and not finished: everybody reads what is still missing, then how to put it back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from device.locale import translate
from device.session.alerts import refusal
from device.session.messages import Tick
from device.session.step import wake_at
from engine import match as matches
from engine.arbiter import Refuse, agreement, gather, judge
from engine.catalogue import complete
from engine.entry import Act, Source, Start
from engine.match import Match
from tests.device.session.conftest import Mat, Seated
from tests.engine.fence.bouts import SPEC, bout, parsed, rules
from tests.engine.ideal import IdealTable


@pytest.fixture
def unmoved() -> Refuse:
    """A Fleche is laid and paid, and the figure still stands."""
    options = dict(complete(SPEC.options, {"starter": "a"}))
    match: Match = matches.begin(rules(), Start(0.0, "fence", options, ("a", "b"), 1))
    match = replace(match, state=bout(2))
    seat, words = parsed("a: play fleche 6")
    table = IdealTable.of(rules().layout(match.state))
    before = agreement(rules().layout(match.state), table.observe())
    table.perform(rules().trace(match.state, seat, rules().read(match.state, seat, words)))
    strip, beside = table.zones["strip"], table.zones["beside"]
    strip[4], beside[7] = beside[7], None
    verdict = judge(rules(), match, gather(before, table.observe(1.0)), overdue=True)
    assert isinstance(verdict, Refuse)
    return verdict


SAID = {
    "en": [
        "Not finished yet: complete the move, or put everything back.",
        "Move Green's figure: square 4 → beside square 7.",
        "Or put it back:",
        "Take Fleche 6 out of Green's lane.",
        "Move Green's stamina marker to 6 on Green's stamina track.",
    ],
    "ru": [
        "Ещё не всё сделано: завершите ход или верните всё на место.",
        "Переложите: зелёный боец, клетка 4 → рядом: клетка 7.",
        "Или верните на место:",
        "Уберите отсюда (ряд зелёного): флеш 6.",
        "Переместите: маркер сил зелёного → Зелёный: 6 на шкале сил.",
    ],
    "zh_Hans": [
        "尚未完成：请完成行动，或放回原位。",
        "移动绿方剑手：第 4 格 → 第 7 格旁边。",
        "或者放回原位：",
        "请从绿方出牌区拿走飞刺 6。",
        "请把绿方耐力标记放到这里：绿方耐力轨的 6。",
    ],
    "zh_Hant": [
        "尚未完成：請完成行動，或放回原位。",
        "移動綠方劍手：第 4 格 → 第 7 格旁邊。",
        "或者放回原位：",
        "請從綠方出牌區拿走飛刺 6。",
        "請把綠方耐力標記放到這裡：綠方耐力軌的 6。",
    ],
}


@pytest.mark.parametrize("language", SAID)
def test_a_legal_action_that_was_begun_is_not_taken_for_an_illegal_one(language: str, unmoved: Refuse) -> None:
    assert [translate(text, language) for text in refusal(unmoved)] == SAID[language]
    assert not unmoved.violations


@pytest.mark.clause("F28")
def test_an_order_of_which_the_figure_is_missing_was_not_carried_out_with_another_card() -> None:
    """A Fleche was ordered, laid and paid: the right card is not called the wrong one."""
    options = dict(complete(SPEC.options, {"starter": "a"}))
    match: Match = matches.begin(rules(), Start(0.0, "fence", options, ("a", "b"), 1))
    match = replace(match, state=bout(2))
    table = IdealTable.of(rules().layout(match.state))
    before = agreement(rules().layout(match.state), table.observe())
    seat, words = parsed("a: play fleche 6")
    match, _ = matches.advance(rules(), match, Act(1.0, seat, words, Source.BUTTONS))
    assert match.pending is not None
    table.perform(match.pending.trace)
    strip, beside = table.zones["strip"], table.zones["beside"]
    strip[4], beside[7] = beside[7], None
    verdict = judge(rules(), match, gather(before, table.observe(2.0)), overdue=True)
    assert isinstance(verdict, Refuse)
    assert not verdict.violations
    assert [translate(text, "en") for text in refusal(verdict)] == [
        "Not finished yet: complete the move.",
        "Move Green's figure: square 4 → beside square 7.",
    ]


def test_an_order_that_nobody_carries_out_lists_its_steps(begun: tuple[Seated, Mat]) -> None:
    """Who knows what to do is not bothered; once somebody has to be reminded, each step is told, hidden stones by
    their places."""
    table, lying = begun
    for seat, hand, words in (("a", "b", ("place", "crown", "left")), ("b", "a", ("hide", "crown"))):
        lying.do(table.trace(seat, words))
        table.see(lying.observe(0.0, frozenset(hand)))
    table.act("a", "Swap", "stone 1", "the Scales")
    assert table.match.pending is not None
    assert "Move" not in table.text("b")
    due = wake_at(table.session)
    assert due is not None
    table.give(Tick(due))
    for panel in ("a", "b", "table"):
        assert "Move scales: place 2 of line → place 1 of line." in table.text(panel)
        assert "Move the hidden piece: place 1 of line → place 2 of line." in table.text(panel)
    lying.do(table.match.pending.trace)
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.match.pending is None
    assert "Move" not in table.text("b")
