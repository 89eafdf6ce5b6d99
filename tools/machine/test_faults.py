"""What the installed service does when the machine around it fails: displays, buses, clock, disk, memory, or a process
that stands still.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from device.daemon.systemd_notify import SIGN_S
from tools.machine.conftest import Boot, Figure
from tools.machine.guest.oled import Displays, Key
from tools.machine.installing import PLAY, TABLE, UP, choose, property_of
from tools.machine.qemu import Machine, Options
from tools.machine.showing import until_lit

pytestmark = [pytest.mark.machine, pytest.mark.soak, pytest.mark.timeout(3600)]

NEXT_A, NEXT_B = 27, 6
A, B = (0, 0x3C), (0, 0x3D)
ANSWER_S = 20.0
SLOW_S = 1.6 * SIGN_S
"""How long a start is made to take, by what it needs of a processor in the same machine just before. Its longest step
is four tenths of it: so it is as far from too quick a start as from too slow a step, should the host's pace change."""
READ_ONLY = "echo u > /proc/sysrq-trigger; until grep -q ' / ext4 ro' /proc/mounts; do sleep 0.2; done"
"""As after an error of the medium: whoever has files open for writing, as the journal of systemd has, is not asked."""


def restarts(machine: Machine) -> int:
    return int(property_of(machine, "NRestarts"))


def answers(machine: Machine, pin: int, key: Key) -> bool:
    """Whether a press changes what a display shows."""
    before = Displays()
    before.feed(machine.log())
    machine.ask({"level": pin, "closed": True})
    time.sleep(0.15)
    machine.ask({"level": pin, "closed": False})
    until = time.monotonic() + ANSWER_S
    while time.monotonic() < until:
        after = Displays()
        after.feed(machine.log())
        if after.found[key].rows() != before.found[key].rows():
            return True
        time.sleep(0.5)
    return False


@pytest.fixture(autouse=True)
def going_on(table: Machine) -> Iterator[None]:
    """Each test begins with a table that answers, and ends with one: by itself, without a restart by hand."""
    if "none" not in table.must(f"grep ^source {TABLE}").out:
        choose(table, "none")
    table.wait(UP, 300)
    until_lit(table, 2, 60)
    yield
    table.wait(UP, 300)
    until_lit(table, 2, 120)
    assert answers(table, NEXT_A, A)


def test_a_start_that_takes_longer_than_systemd_waits_for_its_first_sign_is_waited_for(
    table: Machine, figure: Figure
) -> None:
    """It comes to something new before each SIGN_S are over. On a quiet host it has a twelfth of a processor."""
    table.must("systemctl restart referee", 1800)
    needs_s = int(property_of(table, "CPUUsageNSec")) / 1e9
    share = needs_s / SLOW_S
    table.must("systemctl stop referee")
    table.must(f"systemctl set-property --runtime referee CPUQuota={share:.2%}")
    try:
        table.must("systemctl start referee", 1800)
    finally:
        table.must("systemctl set-property --runtime referee CPUQuota=")
    times = ("ActiveEnterTimestampMonotonic", "ExecMainStartTimestampMonotonic")
    ready, begun = (int(property_of(table, time)) for time in times)
    figure(needs_s=round(needs_s, 1), share=round(share, 3), slow_start_s=round((ready - begun) / 1e6, 1))
    assert ready - begun > SIGN_S * 1e6
    assert restarts(table) == 0


def test_a_display_that_goes_away_comes_back_with_what_it_should_show(table: Machine, figure: Figure) -> None:
    before = restarts(table)
    table.tell("there 0 0x3d 0")
    assert answers(table, NEXT_A, A), "the other display goes on"
    table.wait("journalctl -b -u referee | grep -q 'display b does not answer'", 60)
    table.tell("there 0 0x3d 1")
    back = table.wait("journalctl -b -u referee | grep 'display b' | tail -1 | grep -q answers", 60)
    assert restarts(table) == before
    figure(back_s=round(back, 1))


def test_a_bus_that_hangs_for_six_seconds_stops_nothing(table: Machine) -> None:
    before = restarts(table)
    table.tell("hang 6000")
    answers(table, NEXT_A, A)
    assert restarts(table) == before


def test_a_process_that_stands_still_is_ended_by_the_watchdog(table: Machine, figure: Figure) -> None:
    before = restarts(table)
    table.must("kill -STOP $(systemctl show --value --property=MainPID referee)")
    again = f"test $(systemctl show --value --property=NRestarts referee) -gt {before}"
    figure(ended_s=round(table.wait(again, 120), 1), ready_s=round(table.wait(UP, 180), 1))


def test_a_clock_that_is_set_back_a_year_and_forth_again_changes_nothing(table: Machine) -> None:
    before = restarts(table)
    table.must("date -s '1 year ago'")
    assert answers(table, NEXT_B, B)
    time.sleep(40)  # longer than the watchdog's patience
    table.must("date -s '1 year'")
    assert answers(table, NEXT_B, B)
    assert restarts(table) == before


def test_a_full_disk_does_not_end_the_referee(table: Machine) -> None:
    before = restarts(table)
    table.must("fallocate -l $(($(stat -f -c '%f*%S' /))) /full 2> /dev/null || cat /dev/zero > /full; sync; true", 300)
    try:
        assert answers(table, NEXT_A, A)
        assert restarts(table) == before
        table.must("systemctl restart referee", 300)  # systemd counts from zero again
        until_lit(table, 2, 60)
        assert answers(table, NEXT_A, A)
    finally:
        table.must("rm /full; sync")
    assert restarts(table) == 0


def test_a_disk_that_may_not_be_written_does_not_keep_the_table_dark(table: Machine) -> None:
    table.must(f"systemctl stop referee; sync; {READ_ONLY}")
    try:
        table.must("systemctl start referee", 300)
        until_lit(table, 2, 60)
        assert answers(table, NEXT_A, A)
    finally:
        table.must("mount -o remount,rw /; systemctl restart referee", 300)


def test_the_memory_of_a_zero_2_w_is_enough(boot: Boot, figure: Figure) -> None:
    machine = boot(Options(board="zero2w", safe=False))
    choose(machine, "none")
    told = json.loads(machine.must(f"{PLAY} {TABLE} --seed 5 --longest 6", 1800).out)
    assert (told["stuck"], told["wrong"], told["unlike"]) == (0, 0, 0)
    pids = machine.must("pgrep -u referee").out.split()
    pss = sum(int(machine.must(f"awk '/^Pss:/ {{print $2}}' /proc/{pid}/smaps_rollup").text) for pid in pids)
    free = int(machine.must("awk '/^MemAvailable:/ {print $2}' /proc/meminfo").text)
    figure(pss_mb=pss >> 10, available_mb=free >> 10, actions=told["actions"])
    assert free > 64 << 10
    assert machine.sh("journalctl -b -k | grep -q 'Out of memory'").rc
