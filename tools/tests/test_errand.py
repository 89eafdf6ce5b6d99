"""What the owner's errands do to a machine: which package is taken, what is told, and a reset that is broken off."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.release.signing import allowed_signers, sign
from tools.tests.test_release import made_key

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "package" / "referee-errand"
HAVE = "1.0+deb12"
PROGRAMS = {
    # What is installed stands in $MACHINE/installed, what the archives have in $MACHINE/archive.
    "dpkg-query": 'cat "$MACHINE/installed"',
    "dpkg": 'case $1 in --print-architecture) echo arm64 ;; --compare-versions) [ "$2" \\> "$4" ] ;; esac',
    # A package is a file that says its name, machine and version.
    "dpkg-deb": 'for file; do :; done; grep -q . "$file" && cat "$file"',
    "apt-get": 'echo "apt-get $*" >> "$MACHINE/log"; exec install-a-version "$@"',
    "systemctl": 'echo "systemctl $*" >> "$MACHINE/log"',
    "sync": "true",
    # The package's postinst: it switches, and back again if the new version does not get ready.
    "install-a-version": """
for last; do :; done
case $* in
update) exit 0 ;;
*--only-upgrade*) [ -e "$MACHINE/archive" ] || exit 0; version=$(cat "$MACHINE/archive") ;;
*) version=$(cat "$last"); version=${version##* } ;;
esac
case $version in *torn*) exit 100 ;; esac
echo "$version" > "$MACHINE/installed"
mkdir -p "$REFEREE_BASE/unpacked"
echo "$version-12345678" > "$REFEREE_BASE/unpacked/NAME"
case $version in *broken*) ;; *) ln -sfn "$version-12345678" "$REFEREE_BASE/current" ;; esac
""",
}


@dataclass
class Machine:
    """A machine with a referee installed, and a card's first partition."""

    folder: Path
    key: Path

    def lies(self, version: str, machine: str = "arm64", name: str = "table-referee", signed: bool = True) -> Path:
        """A package on the card; its path."""
        path = self.folder / "card" / f"{name}_{version}_{machine}.deb"
        path.write_text(f"{name} {machine} {version}")
        if signed:
            sign(self.key, path)
        return path

    def run(self, job: str, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Runs the script. within: what it is run by, in the checkout."""
        environment = {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "MACHINE": str(self.folder),
            **{f"REFEREE_{name.upper()}": str(self.folder / name) for name in ("base", "card", "stages", "state")},
        }
        command = [*within, str(SCRIPT), job]
        return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)

    def told(self, job: str) -> str:
        return (self.folder / "stages" / job).read_text().strip()

    @property
    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def installed(self) -> str:
        return (self.folder / "installed").read_text().strip()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The key of whoever makes releases."""
    return made_key(tmp_path_factory.mktemp("key") / "owner")


@pytest.fixture
def machine(tmp_path: Path, key: Path) -> Machine:
    for name in ("bin", "base", "card", "stages", "state"):
        (tmp_path / name).mkdir()
    for program, does in PROGRAMS.items():
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / program).chmod(0o755)
    (tmp_path / "installed").write_text(f"{HAVE}\n")
    (tmp_path / "base" / "current").symlink_to(f"{HAVE}-12345678")
    (tmp_path / "base" / "allowed_signers").write_text(allowed_signers(key))
    return Machine(tmp_path, key)


def test_the_newest_package_on_the_card_is_installed_without_a_network(machine: Machine) -> None:
    for version in ("0.9+deb12", "1.2+deb12", "1.1+deb12"):
        machine.lies(version)
    assert machine.run("look").stdout == "1.2+deb12 signed\n"
    assert machine.run("update").returncode == 0
    assert (machine.installed, machine.told("update")) == ("1.2+deb12", "done")
    (only,) = machine.log
    assert only.startswith("apt-get install -o DPkg::Lock::Timeout=300 --yes --no-install-recommends /")


def test_a_package_that_was_built_on_the_machine_gives_way_to_a_newer_release(machine: Machine) -> None:
    (machine.folder / "installed").write_text("1.0+deb12+dev20261130120000\n")
    for version in ("1.0+deb12", "1.2+deb12", "1.3+deb13"):
        machine.lies(version)
    assert machine.run("look").stdout == "1.2+deb12 signed\n"


@pytest.mark.parametrize(
    ("version", "kind", "name"),
    [
        ("1.2+deb13", "arm64", "table-referee"),
        ("1.2+deb12", "amd64", "table-referee"),
        ("0.9+deb12", "arm64", "table-referee"),
        (HAVE, "arm64", "table-referee"),
        ("1.2+deb12", "arm64", "table-referee_evil"),
    ],
)
def test_what_is_not_for_this_machine_or_not_newer_is_left_alone(
    machine: Machine, version: str, kind: str, name: str
) -> None:
    machine.lies(version, kind, name)
    assert machine.run("look").stdout == ""
    assert machine.run("update").returncode == 1
    assert (machine.installed, machine.told("update")) == (HAVE, "failed nothing-newer")


def test_a_file_that_is_no_package_is_passed_over(machine: Machine) -> None:
    (machine.folder / "card" / "table-referee_9_arm64.deb").touch()
    machine.lies("1.1+deb12")
    assert machine.run("update").returncode == 0
    assert machine.installed == "1.1+deb12"


def test_what_nobody_signed_needs_a_yes(machine: Machine) -> None:
    machine.lies("1.1+deb12", signed=False)
    assert machine.run("look").stdout == "1.1+deb12 unsigned\n"
    assert machine.run("update").returncode == 1
    assert (machine.installed, machine.told("update"), machine.log) == (HAVE, "failed unsigned", [])
    assert machine.run("update-unsigned").returncode == 0
    assert (machine.installed, machine.told("update-unsigned")) == ("1.1+deb12", "done")


@pytest.mark.parametrize("spoil", ["changed", "cut off", "another's", "of another file", "empty"])
def test_a_bad_signature_is_refused_whatever_is_agreed_to(machine: Machine, spoil: str, tmp_path: Path) -> None:
    """The name, the machine and the version are read before the signature, and are left as they were."""
    package = machine.lies("1.1+deb12")
    signature = Path(f"{package}.sig")
    match spoil:
        case "changed":
            package.write_text("table-referee arm64 1.1+deb12\n")
        case "cut off":
            signature.write_bytes(signature.read_bytes()[:-40])
        case "another's":
            sign(made_key(tmp_path / "another"), package)
        case "of another file":
            shutil.copy(f"{machine.lies('1.0+deb12')}.sig", signature)
        case "empty":
            signature.write_bytes(b"")
    assert machine.run("look").stdout == "1.1+deb12 bad\n"
    for job in ("update", "update-unsigned"):
        assert machine.run(job).returncode == 1
        assert machine.told(job) == "failed bad-signature"
    assert (machine.installed, machine.log) == (HAVE, [])


def test_a_package_that_is_cut_off_is_refused(machine: Machine) -> None:
    """Its beginning says what it is; the rest has not come."""
    package = machine.lies("1.1+deb12")
    package.write_text("table-referee arm64 1.1+deb12\n" * 2)
    sign(machine.key, package)
    package.write_text("table-referee arm64 1.1+deb12\n")
    assert machine.run("update").returncode == 1
    assert (machine.installed, machine.told("update")) == (HAVE, "failed bad-signature")


def test_a_table_whose_package_brought_no_key_takes_none_for_signed(machine: Machine) -> None:
    machine.lies("1.1+deb12")
    (machine.folder / "base" / "allowed_signers").unlink()
    assert machine.run("look").stdout == "1.1+deb12 unsigned\n"
    assert machine.run("update").returncode == 1
    assert machine.told("update") == "failed unsigned"


def test_without_one_the_archives_are_asked(machine: Machine) -> None:
    (machine.folder / "archive").write_text("1.1+deb12")
    assert machine.run("update").returncode == 0
    assert (machine.installed, machine.told("update")) == ("1.1+deb12", "done")
    assert machine.log == [
        "apt-get update",
        "apt-get install -o DPkg::Lock::Timeout=300 --yes --no-install-recommends --only-upgrade table-referee",
    ]


def test_a_version_that_does_not_get_ready_is_told(machine: Machine) -> None:
    machine.lies("1.1broken+deb12")
    assert machine.run("update").returncode == 1
    assert machine.told("update") == "failed went-back"


def test_a_package_that_apt_refuses_is_told(machine: Machine) -> None:
    machine.lies("1.1torn+deb12")
    assert machine.run("update").returncode != 0
    assert (machine.installed, machine.told("update")) == (HAVE, "failed failed")


def test_back_needs_a_version_before(machine: Machine) -> None:
    assert machine.run("back").returncode == 1
    assert machine.told("back") == "failed nothing-before"
    (machine.folder / "base" / "before").symlink_to("0.9+deb12-87654321")
    script = machine.folder / "base" / "referee-version"
    script.write_text('#!/bin/sh\nln -sfn "$(readlink "$REFEREE_BASE/before")" "$REFEREE_BASE/current"\n')
    script.chmod(0o755)
    assert machine.run("back").returncode == 0
    assert (machine.folder / "base" / "current").readlink().name == "0.9+deb12-87654321"
    assert machine.told("back") == "done"


def learnt(machine: Machine) -> Path:
    """What a table was told, and what is not the referee's."""
    state = machine.folder / "state"
    for name in ("referee/enrolled/stones/1.png", "referee/owner.json", "referee-pages/key.pem", "dpkg/status"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).touch()
    (state / "referee-steward").mkdir()
    (state / "referee-steward" / "reset").touch()
    return state


def test_a_reset_forgets_what_the_table_was_told_and_nothing_else(machine: Machine) -> None:
    state = learnt(machine)
    assert machine.run("reset").returncode == 0
    left = sorted(str(path.relative_to(state)) for path in state.rglob("*") if path.is_file())
    assert left == ["dpkg/status"]
    assert not (state / "referee").exists()
    assert machine.log == ["systemctl stop referee.service referee-pages.service"]
    assert machine.told("reset") == "done"


def test_a_reset_that_is_broken_off_keeps_its_mark_and_is_done_at_the_next_start(machine: Machine) -> None:
    state, real = learnt(machine), shutil.which("rm")
    broken = machine.folder / "bin" / "rm"
    broken.write_text(f'#!/bin/sh\n{real} -r "$REFEREE_STATE/referee"\nkill -9 $PPID\n')
    broken.chmod(0o755)
    assert machine.run("reset").returncode == -9
    assert machine.told("reset") == "running forgetting"
    assert (state / "referee-steward" / "reset").exists()
    assert (state / "referee-pages").exists()
    broken.unlink()
    assert machine.run("reset").returncode == 0
    assert not (state / "referee-pages").exists()
    assert not (state / "referee-steward" / "reset").exists()


def test_what_it_does_not_know_it_does_not_do(machine: Machine) -> None:
    assert machine.run("poweroff").returncode == 2
    assert machine.log == []
    assert list((machine.folder / "stages").iterdir()) == []
