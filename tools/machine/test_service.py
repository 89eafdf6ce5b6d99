"""The referee as an owner gets it: installed from its package, started by systemd, as its own user in its sandbox."""

from __future__ import annotations

import json
import re

import pytest

from device.web.audiences import AUDIENCES
from tools.machine.conftest import Figure
from tools.machine.installing import EXPOSURE, PLAY, TABLE, UP, Installed, exposure_of, kill, property_of
from tools.machine.qemu import Machine
from tools.machine.showing import DARK_S, read_displays, seconds_to_dark, until_lit

pytestmark = [pytest.mark.machine, pytest.mark.timeout(1800)]

LIT_S = 120


def test_the_package_installs_without_a_network_and_the_service_gets_ready(ready: Installed, figure: Figure) -> None:
    figures = ready.figures
    figure(install_s=round(figures.install_s, 1), ready_s=round(figures.ready_s, 1), package=figures.package)
    assert ready.image.exists()


def test_the_unit_starts_by_itself_as_its_own_user_in_its_sandbox(table: Machine, figure: Figure) -> None:
    waited = table.wait(UP, 180)
    pid = property_of(table, "MainPID")
    status = dict(re.findall(r"^(\w+):\s+(.*)$", table.must(f"cat /proc/{pid}/status").out, re.MULTILINE))
    uid = table.must("id -u referee").text
    assert status["Uid"].split() == [uid] * 4
    assert (status["Seccomp"], status["NoNewPrivs"], status["CapEff"]) == ("2", "1", "0" * 16)
    groups = {table.must(f"getent group {name}").text.split(":")[2] for name in ("gpio", "i2c", "spi", "video")}
    assert groups <= set(status["Groups"].split())
    exposure = exposure_of(table, "referee")
    assert exposure <= EXPOSURE
    assert property_of(table, "NRestarts") == "0"
    figure(boot_s=round(table.boot_s, 1), ready_s=round(waited, 1), exposure=exposure)


def test_pages_are_served_by_a_user_of_their_own_without_a_network_once_the_table_file_wants_them(
    table: Machine, figure: Figure
) -> None:
    """The unit is enabled from the start, and serves nothing; systemd opens the ports and hands them over."""
    table.wait(UP, 180)
    table.must("systemctl is-enabled --quiet referee-pages")
    table.must("systemctl is-enabled --quiet referee-herald")
    table.wait("! systemctl is-active --quiet referee-pages.socket", 60)
    assert table.must("systemctl show --value --property=Result referee-pages").text == "success"
    table.must(f"cp {TABLE} {TABLE}.kept; printf '[pages]\\non = true\\n' >> {TABLE}; systemctl restart referee", 180)
    waited = table.wait(f"pgrep -u referee-pages -c | grep -qx {1 + len(AUDIENCES)}", 300)
    ask = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8140/', timeout=300).read().decode())"
    assert "<!doctype html>" in table.must(f'python3 -c "{ask}"').out
    assert exposure_of(table, "referee-pages") <= EXPOSURE
    pid = table.must("systemctl show --value --property=MainPID referee-pages").text
    # Each worker is let to the daemon: a socket that was accepted is listed in the network that it was asked from.
    sockets = f"for p in {pid} $(pgrep -P {pid}); do cat /proc/$p/net/unix; done"
    accepted = rf"{sockets} | grep -Eo '03 +[0-9]+ /run/referee/pages/[a-z]+\.sock$' | cut -d/ -f5 | sort -u"
    table.wait(f"{accepted} | wc -l | grep -qx {len(AUDIENCES)}", 300)
    network = f"readlink /proc/{pid}/ns/net"
    assert table.must(network).text != table.must("readlink /proc/1/ns/net").text
    filters = f"for p in {pid} $(pgrep -P {pid}); do grep Seccomp_filters /proc/$p/status; done"
    keeper, *workers = (int(line.split()[1]) for line in table.must(filters).out.splitlines())
    assert workers == [keeper + 1] * len(AUDIENCES), "each worker has a filter more"
    assert table.must("ls /var/lib/referee/journal.db").out
    assert table.sh(f"nsenter --target {pid} --mount -- ls /var/lib/referee/journal.db").rc
    figure(pages_s=round(waited, 1))
    table.must(f"mv {TABLE}.kept {TABLE}; systemctl restart referee", 180)
    table.wait("! systemctl is-active --quiet referee-pages.socket", 120)


ASK = (
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.settimeout(300); s.connect('/run/referee-steward.sock'); "
    "s.sendall((sys.argv[1] + chr(10)).encode()); print(s.makefile().read())"
)


def test_the_steward_does_what_the_daemons_user_asks_and_hears_nobody_else(table: Machine) -> None:
    table.wait(UP, 180)
    ask, as_daemon = f'python3 -c "{ASK}"', "runuser -u referee --"
    looked = json.loads(table.must(f"{as_daemon} {ask} look", 300).out)
    assert looked["runs"] == table.must("readlink /opt/table-referee/current").text
    assert "stranger" in table.must(f"{ask} reset", 300).out
    assert table.sh(f"runuser -u nobody -- {ask} look").rc
    for unit in ("referee-steward", "referee-back", "referee-trial", "referee-reset"):
        assert exposure_of(table, unit) <= EXPOSURE
    pid = property_of(table, "MainPID")
    assert json.loads(table.must(f"{as_daemon} {ask} restart", 300).out)["state"] == "done"
    assert property_of(table, "MainPID") != pid
    assert table.must("ls /var/lib/referee/journal.db").out


def test_every_display_of_the_table_is_lit_and_understood_each_byte(table: Machine) -> None:
    table.wait(UP, 180)
    until_lit(table, 2, LIT_S)
    displays = read_displays(table)
    assert {key: display.faults for key, display in displays.found.items() if display.faults} == {}


def test_a_camera_whose_driver_is_loaded_after_the_service_is_opened(table: Machine, figure: Figure) -> None:
    table.must(f"sed -i 's/^source = .*/source = \"v4l2\"/' {TABLE}; systemctl restart referee", 180)
    assert table.sh("test -e /dev/video0").rc
    picture = bytes([128]) * (1280 * 720 * 2)  # plain gray: YUYV
    (table.share / "frame.yuv").write_bytes(picture)
    restarts = property_of(table, "NRestarts")
    table.ask({"camera": True})
    held = "for p in $(pgrep -f '[v]ision.worker'); do ls -l /proc/$p/fd; done | grep -q /dev/video0"
    figure(opened_s=round(table.wait(held, 120), 1))
    assert property_of(table, "NRestarts") == restarts


def test_a_match_at_the_pins_shows_what_the_daemon_says(table: Machine, figure: Figure) -> None:
    table.must(f"sed -i 's/^source = .*/source = \"none\"/; /^size/d' {TABLE}; systemctl restart referee", 180)
    told = json.loads(table.must(f"{PLAY} {TABLE} --seed 3 --longest 6", 900).out)
    figure(**told)
    assert (told["stuck"], told["wrong"], told["notes"]) == (0, 0, [])
    assert told["right"] == told["actions"] >= 6
    assert told["compared"] >= 2 * told["presses"] > 0
    assert told["unlike"] == 0, told["first_unlike"]


def test_displays_are_dark_soon_after_kill_9_and_the_referee_comes_back(table: Machine, figure: Figure) -> None:
    table.wait(UP, 180)
    until_lit(table, 2, LIT_S)
    restarts = int(property_of(table, "NRestarts"))
    killed = kill(table)
    back = table.wait(f"test $(systemctl show --value --property=NRestarts referee) -gt {restarts} && {UP}", 180)
    dark = seconds_to_dark(table, killed)
    figure(dark_s=dark, back_s=round(back, 1))
    assert dark is not None
    assert dark <= DARK_S
    table.wait("test -s /run/referee/lit", 60)
