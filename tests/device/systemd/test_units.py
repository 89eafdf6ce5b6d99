"""The units: shut in, fed by progress, with no network but loopback; the pages are apart, and off by default."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
from ipaddress import ip_network
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.daemon.systemd_notify import SIGN_S
from device.displays.oled import NOTE
from device.privileged_helper.__main__ import USER
from device.privileged_helper.serving import COMMANDS, JOBS, Places, __package__
from device.privileged_helper.verbs import SOCKET, Verb
from device.settings.table import Herald, NoCamera, PagesSettings, TableSettings
from device.web.audiences import AUDIENCES, CAMERA
from tests.commands import app
from tests.device.systemd.units import NAMES, PACKAGED, ROOT, ROOTS, UNITS, UPDATES, path_of, unit
from tools.package.environment import HOME

EXPOSURE = dict.fromkeys(UPDATES, 4.2)
"""Of 10, at most, as `systemd-analyze security` counts; 1.0 for all others. apt and the scripts of packages work on the
whole system, so that no more can be kept from an update."""
HERALD = "referee-herald"
SYSUSERS = ROOT / "tools" / "package" / "debian" / "sysusers.conf"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@needs_systemd
@pytest.mark.parametrize("name", [*NAMES, *ROOTS])
def test_the_exposure_is_small(name: str) -> None:
    words = ["systemd-analyze", "security", "--offline=true", str(path_of(name))]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    level = re.search(r"exposure level for .*: ([\d.]+)", result.stdout)
    assert level is not None
    assert float(level[1]) <= EXPOSURE.get(name, 1.0)


@needs_systemd
@pytest.mark.parametrize("name", [*NAMES, *ROOTS])
def test_systemd_knows_every_setting(name: str) -> None:
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path_of(name))],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in result.stderr.splitlines() if name in line and "is not executable" not in line]
    assert complaints == []


@needs_systemd
@pytest.mark.parametrize("name", sorted({*NAMES} - {HERALD}))
def test_no_service_but_the_herald_has_a_network(name: str) -> None:
    result = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--json=short", str(path_of(name))],
        capture_output=True,
        text=True,
        check=False,
    )
    shut = {each["json_field"] for each in json.loads(result.stdout) if each["set"]}
    assert shut >= {"PrivateNetwork", "RestrictAddressFamilies_AF_INET_INET6", "RestrictAddressFamilies_AF_PACKET"}


def test_the_camera_can_be_found_and_nothing_else_be_talked_to() -> None:
    """libcamera asks udev, which opens a netlink socket; the network that it lies in is the service's own."""
    service = unit("referee")
    assert set(service["RestrictAddressFamilies"][0].split()) == {"AF_UNIX", "AF_NETLINK"}
    assert service["PrivateNetwork"] == ["yes"]


def test_however_it_ends_the_table_does_not_stay_dark() -> None:
    assert unit("referee")["Restart"] == ["always"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("referee", "ExecStart"),
        ("referee", "ExecStopPost"),
        ("referee-pages", "ExecStart"),
        (HERALD, "ExecStart"),
    ],
)
def test_what_a_unit_starts_is_installed_and_understood(name: str, key: str) -> None:
    program, *words = unit(name)[key][0].removeprefix("-").split()
    assert program == str(HOME / "current" / "bin" / "referee")
    told = CliRunner().invoke(app, [*words, "--help"])  # words that it does not understand end it before the help
    assert told.exit_code == 0, told.output


def test_a_start_has_as_long_until_its_first_sign_of_life_as_after_each() -> None:
    assert unit("referee")["TimeoutStartSec"] == [f"{SIGN_S:.0f}"]


def test_whatever_ends_the_daemon_what_it_lit_is_switched_off() -> None:
    service = unit("referee")
    _, command, path = service["ExecStopPost"][0].split()
    assert command == "dark"
    assert Path(path) == Path("/run") / service["RuntimeDirectory"][0] / NOTE
    assert service["RuntimeDirectoryPreserve"] == ["restart"]


def test_the_daemon_runs_as_the_user_that_is_made_for_it() -> None:
    service = unit("referee")
    made = SYSUSERS.read_text(encoding="utf-8")
    (user,) = service["User"]
    assert re.findall(r'^u ([\w-]+) - ".*" /var/lib/referee /usr/sbin/nologin$', made, re.MULTILINE) == [user]
    member = set(re.findall(rf"^m {user} ([\w-]+)$", made, re.MULTILINE))
    assert set(service["SupplementaryGroups"][0].split()) == member
    assert member == set(re.findall(r"^g ([\w-]+) ", made, re.MULTILINE))


def test_folders_are_those_of_a_table_that_names_none() -> None:
    service, table = unit("referee"), TableSettings(NoCamera())
    assert Path("/run") / service["RuntimeDirectory"][0] == table.runtime_dir
    assert Path("/var/lib") / service["StateDirectory"][0] == table.state_dir


def test_pages_are_served_by_a_user_whose_group_the_daemon_lets_to_its_sockets() -> None:
    pages, made = unit("referee-pages"), SYSUSERS.read_text(encoding="utf-8")
    (user,), (group,) = pages["User"], pages["Group"]
    assert user != unit("referee")["User"][0]
    assert group == PagesSettings().group
    assert re.search(rf'^u {user} -:{group} "[^:"]*" /var/lib/{user} /usr/sbin/nologin$', made, re.MULTILINE)
    assert f"m {unit('referee')['User'][0]} {group}" in made.splitlines()


def test_the_pages_see_of_the_daemon_the_folder_of_their_sockets_alone() -> None:
    pages, daemon = unit("referee-pages"), unit("referee")
    inside, folder, _ = daemon["RuntimeDirectory"]
    assert Path("/run") / folder == TableSettings(NoCamera()).runtime_dir / "pages"
    assert pages["TemporaryFileSystem"] == [f"/run/{inside}:ro"]
    assert pages["BindReadOnlyPaths"] == [f"/run/{folder}"]
    assert pages["InaccessiblePaths"] == [f"-/var/lib/{daemon['StateDirectory'][0]}"]


def test_the_ports_of_the_pages_are_systemds_for_whoever_is_near_and_close_with_the_service() -> None:
    pages, ports = unit("referee-pages"), unit("referee-pages", "socket")
    assert "referee-pages.socket" in pages["Requires"][0].split()
    assert (ports["BindsTo"], ports["StopWhenUnneeded"]) == (["referee-pages.service"], ["yes"])
    assert ports["ListenStream"] == [str(PagesSettings().port + number) for number in range(len((*AUDIENCES, CAMERA)))]
    assert ports["IPAddressDeny"] == ["any"]
    near = [ip_network(each) for each in ports["IPAddressAllow"][0].split() if "/" in each]
    assert near
    assert all(network.is_private for network in near)


def test_the_herald_is_a_user_whom_the_daemon_lets_to_one_socket_of_its_folders() -> None:
    herald, daemon, made = unit(HERALD), unit("referee"), SYSUSERS.read_text(encoding="utf-8")
    (user,), (group,) = herald["User"], herald["Group"]
    assert user not in {unit(each)["User"][0] for each in ("referee", "referee-pages")}
    assert group == Herald("", Path(), Path(), Path()).group
    assert re.search(rf'^u {user} -:{group} "[^:"]*" - /usr/sbin/nologin$', made, re.MULTILINE)
    inside, _, folder = daemon["RuntimeDirectory"]
    assert Path("/run") / folder == TableSettings(NoCamera()).runtime_dir / "public"
    assert herald["TemporaryFileSystem"] == [f"/run/{inside}:ro"]
    assert herald["BindReadOnlyPaths"] == [f"/run/{folder}"]
    hidden = {path.removeprefix("-") for path in herald["InaccessiblePaths"][0].split()}
    states = {f"/var/lib/{unit(each)['StateDirectory'][0]}" for each in NAMES if unit(each)["StateDirectory"]}
    assert hidden == states | {str(SOCKET)}


def test_the_herald_is_shut_in_as_the_pages_are_but_for_the_network_of_whoever_is_near() -> None:
    herald, pages = unit(HERALD), unit("referee-pages")
    own = {
        "Description",
        "After",
        "ExecStart",
        "User",
        "Group",
        "BindReadOnlyPaths",
        "InaccessiblePaths",
        "Environment",
    }
    network = {"PrivateNetwork", "RestrictAddressFamilies", "IPAddressDeny", "IPAddressAllow", "Requires"}
    limits = {"MemoryMax", "TasksMax", "StateDirectory", "StateDirectoryMode", "WorkingDirectory"}
    for key in pages.keys() - own - network - limits - {"SystemCallFilter"}:
        assert herald[key] == pages[key], key
    assert herald["SystemCallFilter"] == pages["SystemCallFilter"][:2], "it shuts in nobody else"
    assert herald["MemoryDenyWriteExecute"] == ["yes"]
    assert set(herald["RestrictAddressFamilies"][0].split()) == {"AF_UNIX", "AF_INET", "AF_INET6"}
    assert herald["IPAddressDeny"] == ["any"]
    assert herald["IPAddressAllow"] == unit("referee-pages", "socket")["IPAddressAllow"]


def test_where_the_referee_starts_the_pages_start_and_one_that_the_table_file_does_not_want_has_not_failed() -> None:
    pages = unit("referee-pages")
    assert pages["WantedBy"] == ["referee.service"]
    assert pages["Restart"] == ["on-failure"]


def test_the_daemon_waits_for_no_network_and_no_clock_and_outlives_its_worker() -> None:
    service = unit("referee")
    assert awaited("After", "Wants", "Requires") <= {"local-fs.target", *DRIVERS.values()}
    assert service["OOMPolicy"] == ["continue"]


DRIVERS = {
    "char-video4linux": "modprobe@videodev.service",
    "char-media": "modprobe@mc.service",
    "char-i2c": "modprobe@i2c_dev.service",
    "char-spi": "modprobe@spidev.service",
}
"""What registers each class of devices, where that may be a module."""

BUILT_IN = {"char-gpiochip", "char-dma_heap"}
"""Classes that the kernel of a Raspberry Pi registers by itself, long before any service starts."""


def awaited(*keys: str) -> set[str]:
    return {target for key in keys for value in unit("referee")[key] for target in value.split()}


def test_every_class_of_devices_is_there_before_it_is_looked_up() -> None:
    """systemd looks a class up once, at the start; what is loaded later stays forbidden until the next."""
    classes = {value.split()[0] for value in unit("referee")["DeviceAllow"] if value.startswith("char-")}
    assert classes == DRIVERS.keys() | BUILT_IN
    assert set(DRIVERS.values()) <= awaited("Wants") & awaited("After")


def test_units_parse_as_ini() -> None:
    for path in UNITS.values():
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read(path, encoding="utf-8")
        if path.suffix == ".service":
            assert parser.sections() == ["Unit", "Service", "Install"]


def test_temporary_files_need_no_room_on_the_disk() -> None:
    """lgpio's pipe is one: without it there are no buttons, and a full disk would keep the table dark."""
    lines = unit("referee")
    (folder,) = re.findall(r"TMPDIR=(\S+)", " ".join(lines["Environment"]))
    assert folder == f"/run/{lines['RuntimeDirectory'][0]}"


def test_the_steward_hears_the_daemons_user_alone_where_both_look() -> None:
    steward, ear = unit("referee-steward"), unit("referee-steward", "socket")
    assert ear["ListenStream"] == [str(SOCKET)]
    assert (ear["SocketUser"], ear["SocketMode"]) == (unit("referee")["User"], ["0600"]) == ([USER], ["0600"])
    assert steward["Requires"] == ["referee-steward.socket"]
    assert ear["WantedBy"] == ["referee.service"]


def test_the_steward_has_no_right_of_roots_but_to_ask_systemd() -> None:
    steward = unit("referee-steward")
    assert steward["ExecStart"] == [f"{HOME}/current/bin/python -I -m {__package__}"]
    assert steward["CapabilityBoundingSet"] == [""]
    assert steward["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert "User" not in steward
    assert steward["StateDirectory"] == [Places().mark.parent.name]


@pytest.mark.parametrize("verb", JOBS)
def test_each_errand_is_a_unit_that_tells_its_stages_where_the_steward_looks(verb: Verb) -> None:
    """An update's unit has two names, and gives its own to the errand."""
    lines = (PACKAGED / f"referee-{verb}.service").read_text(encoding="utf-8").splitlines()
    said = "%N" if f"referee-{verb}" in UPDATES else verb
    assert f"ExecStart={Places().base}/referee-errand {said}" in lines
    assert f"RuntimeDirectory={Places().stages.name}" in lines
    assert "RuntimeDirectoryPreserve=yes" in lines
    assert COMMANDS[verb][-1] == f"referee-{verb}.service"


def test_a_reset_that_was_begun_is_ended_before_the_referee_starts() -> None:
    lines = (PACKAGED / "referee-reset.service").read_text(encoding="utf-8").splitlines()
    assert f"ConditionPathExists={Places().mark}" in lines
    assert {"Before=referee.service", "WantedBy=referee.service"} <= set(lines)


@pytest.mark.parametrize("name", sorted({*ROOTS} - UPDATES))
def test_what_root_does_for_an_owner_writes_to_its_own_folders_and_reaches_no_network(name: str) -> None:
    lines = unit(name)
    assert lines["ProtectSystem"] == ["strict"]
    assert lines["ReadWritePaths"] == ["/var/lib" if name == "referee-reset" else str(HOME)]
    assert (lines["PrivateNetwork"], lines["RestrictAddressFamilies"]) == (["yes"], ["AF_UNIX"])
