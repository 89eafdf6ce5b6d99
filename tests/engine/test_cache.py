"""What is remembered is what the function would give."""

from __future__ import annotations

from engine.game import per_state


class State:
    def __init__(self, number: int) -> None:
        self.number = number


def test_each_question_is_asked_once_for_one_state_and_anew_for_another() -> None:
    asked: list[tuple[int, int]] = []

    @per_state
    def plus(state: State, more: int) -> int:
        asked.append((state.number, more))
        return state.number + more

    one, two = State(1), State(2)
    assert [plus(one, 1), plus(one, 2), plus(one, 1)] == [2, 3, 2]
    assert asked == [(1, 1), (1, 2)]
    assert [plus(two, 1), plus(one, 1)] == [3, 2]
    assert asked == [(1, 1), (1, 2), (2, 1), (1, 1)]


def test_named_arguments_count() -> None:
    @per_state
    def plus(state: State, more: int = 0) -> int:
        return state.number + more

    state = State(1)
    assert (plus(state), plus(state, more=1), plus(state, more=2)) == (1, 2, 3)
