"""Lists, rows of stages and notices: where a choice leads, and that one which is not there changes nothing."""

from __future__ import annotations

from device.owner.steps import BACK, GO_ON, LATER, Line, Notice, Stages, TaskMenu, TaskStep
from engine.text import Text, say


def notice(name: str) -> Notice:
    return Notice(lambda: TaskStep(say("Clock"), Text(name)))


def menu(*names: str, leave: Text | None = BACK, ends: bool = False) -> TaskMenu:
    def line(name: str) -> Line:
        return Text(name), lambda: notice(name)

    return TaskMenu(say("Game"), say("Language"), lambda: [line(name) for name in names], leave, ends)


def test_a_list_opens_what_is_chosen_and_comes_back() -> None:
    task = menu("one", "two")
    assert task.step().choices == (Text("one"), Text("two"), BACK)
    task.choose(1)
    assert task.step().now == Text("two")
    assert task.inside
    task.choose(0)
    assert task.step().now == say("Language")
    assert not task.over
    task.choose(2)
    assert task.over


def test_what_is_not_there_changes_nothing() -> None:
    task = menu("one")
    for line in (-1, 2, 99):
        task.choose(line)
    assert not task.over
    assert not task.inside
    told = notice("one")
    told.choose(1)
    assert not told.over


def test_a_list_without_a_way_out_never_ends_and_one_that_ends_does_after_one_task() -> None:
    home = menu("one", leave=None)
    home.choose(1)
    assert not home.over
    once = menu("one", leave=None, ends=True)
    once.choose(0)
    assert not once.over
    once.choose(0)
    assert once.over


def test_stages_follow_each_other_and_tell_how_far_they_have_come() -> None:
    reached: list[int] = []
    stages = Stages([lambda: notice("a"), lambda: notice("b"), lambda: notice("c")], 0, reached.append)
    seen = []
    while not stages.over:
        step = stages.step()
        seen.append((str(step.now), step.done, step.of))
        stages.choose(0)
    assert seen == [("a", 0, 3), ("b", 1, 3), ("c", 2, 3)]
    assert reached == [1, 2, 3]


def test_a_stage_leads_back_or_is_left_for_later_but_not_from_within() -> None:
    reached: list[int] = []
    stages = Stages([lambda: notice("a"), lambda: menu("deep", leave=GO_ON)], 1, reached.append)
    assert stages.step().choices == (Text("deep"), GO_ON, BACK, LATER)
    stages.choose(0)
    assert stages.step().choices == (GO_ON,)
    stages.choose(1)
    assert stages.step().now == Text("deep")
    stages.choose(0)
    stages.choose(2)
    assert (stages.step().now, reached) == (Text("a"), [0])
    assert stages.step().choices == (GO_ON, LATER)
    stages.choose(1)
    assert stages.over
    assert reached == [0]


def test_stages_that_are_all_done_are_over_at_once() -> None:
    assert Stages([lambda: notice("a")], 1, lambda _stage: None).over
