"""The debouncer alone: bounce, glitches, lost edges, stuck contacts."""

from hypothesis import given
from hypothesis import strategies as st

from device.buttons.debounce import Change, Contact, ContactTurn, DebounceTiming, begin, due, edge, tick

T = DebounceTiming(settle_s=0.01, stuck_s=60.0, restless_s=3.0)


def run(contact: Contact, *edges: tuple[float, bool], until: float) -> list[Change]:
    told: list[Change] = []
    for at, pressed in edges:
        contact, changes = edge(contact, T, pressed, at)
        told += changes
    while (when := due(contact, T)) is not None and when <= until:
        contact, changes = tick(contact, T, when)
        told += changes
    return told


def turns(changes: list[Change]) -> list[ContactTurn]:
    return [change.turn for change in changes]


def test_a_clean_press_is_down_then_up() -> None:
    told = run(begin(False, 0.0), (1.0, True), (1.2, False), until=2.0)
    assert told == [Change(ContactTurn.DOWN, 1.01), Change(ContactTurn.UP, 1.21)]


def test_bounce_shorter_than_settling_is_one_press() -> None:
    bounce = [(1.0, True), (1.001, False), (1.003, True), (1.004, False), (1.005, True)]
    release = [(1.3, False), (1.302, True), (1.304, False)]
    assert turns(run(begin(False, 0.0), *bounce, *release, until=2.0)) == [ContactTurn.DOWN, ContactTurn.UP]


def test_a_glitch_is_nothing() -> None:
    assert run(begin(False, 0.0), (1.0, True), (1.004, False), until=2.0) == []


def test_a_repeated_level_does_not_put_off_the_decision() -> None:
    """An edge in between was lost: the level counts from the newest edge all the same."""
    assert run(begin(False, 0.0), (1.0, True), (1.5, True), until=2.0) == [Change(ContactTurn.DOWN, 1.01)]


def test_a_button_held_at_power_on_was_pressed_for_nobody() -> None:
    assert turns(run(begin(True, 0.0), (5.0, False), (6.0, True), until=7.0)) == [ContactTurn.UP, ContactTurn.DOWN]


def test_a_contact_held_for_ever_is_stuck_once_and_comes_back() -> None:
    told = run(begin(False, 0.0), (1.0, True), (200.0, False), (201.0, True), until=202.0)
    assert turns(told) == [ContactTurn.DOWN, ContactTurn.STUCK, ContactTurn.DOWN]
    assert told[1].at == 61.01


def test_a_contact_that_never_rests_is_stuck_and_comes_back_once_it_rests() -> None:
    chatter = [(1.0 + 0.005 * n, n % 2 == 0) for n in range(1200)]
    told = run(begin(False, 0.0), *chatter, (10.0, True), until=11.0)
    assert turns(told) == [ContactTurn.STUCK, ContactTurn.DOWN]


@given(st.lists(st.tuples(st.floats(0.0001, 0.5), st.booleans()), max_size=60))
def test_changes_alternate_and_end_at_the_level_that_holds(steps: list[tuple[float, bool]]) -> None:
    at, edges = 0.0, []
    for gap, pressed in steps:
        at += gap
        edges.append((at, pressed))
    told = run(begin(False, 0.0), *edges, until=at + 1.0)
    seen = [change for change in told if change.turn is not ContactTurn.STUCK]
    expected = [ContactTurn.DOWN, ContactTurn.UP] * len(seen)
    if ContactTurn.STUCK not in turns(told):
        assert turns(seen) == expected[: len(seen)]
        assert (bool(seen) and seen[-1].turn is ContactTurn.DOWN) == (bool(edges) and edges[-1][1])
    assert [change.at for change in told] == sorted(change.at for change in told)


@given(st.lists(st.floats(0.0001, 0.0099), max_size=40), st.floats(0.02, 0.5))
def test_any_bounce_within_settling_is_exactly_one_press(gaps: list[float], hold: float) -> None:
    at, level, edges = 1.0, True, [(1.0, True)]
    for gap in gaps:
        at, level = at + gap, not level
        edges.append((at, level))
    if not level:
        at += 0.005
        edges.append((at, True))
    told = run(begin(False, 0.0), *edges, (at + hold, False), until=at + hold + 1.0)
    assert turns(told) == [ContactTurn.DOWN, ContactTurn.UP]


@given(st.lists(st.tuples(st.floats(0.0001, 0.5), st.booleans()), max_size=40), st.lists(st.floats(0, 20), max_size=40))
def test_ticking_more_often_changes_nothing(steps: list[tuple[float, bool]], ticks: list[float]) -> None:
    at, edges = 0.0, []
    for gap, pressed in steps:
        at += gap
        edges.append((at, pressed))
    contact = begin(False, 0.0)
    told: list[Change] = []
    looks: list[tuple[float, bool | None]] = [(t, None) for t in ticks if t < at]
    for when, level in sorted([*edges, *looks], key=lambda e: e[0]):
        contact, changes = tick(contact, T, when) if level is None else edge(contact, T, level, when)
        told += changes
    while (soon := due(contact, T)) is not None and soon <= at + 1:
        contact, changes = tick(contact, T, soon)
        told += changes
    assert told == run(begin(False, 0.0), *edges, until=at + 1)
