"""The Debian package as it is built: whole, for its machine, with what it needs, and nothing of where it was built."""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.package.environment import copied, run_elsewhere
from tools.package import lock
from tools.package.environment import HOME
from tools.package.release import EXTENSIONS, FROM_APT, MACHINES, RELEASES, ROOT, UNUSED, Machine, Release
from tools.package.sbom import VENDORED

pytestmark = pytest.mark.package
TARGETS = [
    ("bookworm", "amd64"),
    pytest.param(("bookworm", "arm64"), marks=pytest.mark.soak),
    ("trixie", "amd64"),
    pytest.param(("trixie", "arm64"), marks=pytest.mark.soak),
]
REBUILT = [*TARGETS[:2], pytest.param(TARGETS[2], marks=pytest.mark.soak), TARGETS[3]]
"""One of them twice also where time is short."""
SYSTEM = {  # library: package of Debian
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "libpthread.so.0": "libc6",
    "libdl.so.2": "libc6",
    "librt.so.1": "libc6",
    "libresolv.so.2": "libc6",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libstdc++.so.6": "libstdc++6",
    "libgcc_s.so.1": "libgcc-s1",
    "libz.so.1": "zlib1g",
}
ELF = {"amd64": 62, "arm64": 183}
"""e_machine of each machine's programs."""


@dataclass(frozen=True)
class Built:
    """A package, and what it unpacks to."""

    archive: Path
    release: Release
    machine: Machine
    tree: Path

    @property
    def unpacked(self) -> Path:
        return self.tree / HOME.relative_to("/") / "unpacked"

    @property
    def packages(self) -> Path:
        return self.unpacked / "lib" / self.release.interpreter / "site-packages"

    def field(self, name: str) -> str:
        words = ["dpkg-deb", "--field", str(self.archive), name]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def build(release: str, machine: str, folder: Path) -> Path:
    """Builds the package with the narrowest umask that an owner of the checkout may have."""
    words = ["-m", "tools.package", "--release", release, "--arch", machine, "--out", str(folder), "--json"]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, umask=0o077
    )
    return Path(json.loads(done.stdout)["package"])


@pytest.fixture(scope="session", params=TARGETS, ids="-".join)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    release, machine = request.param
    folder = tmp_path_factory.mktemp("package")
    archive = build(release, machine, folder)
    subprocess.run(["dpkg-deb", "--raw-extract", str(archive), str(folder / "tree")], check=True)
    yield Built(archive, RELEASES[release], MACHINES[machine], folder / "tree")
    shutil.rmtree(folder)


def libraries(tree: Path) -> list[Path]:
    return [path for path in tree.rglob("*.so*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


@pytest.mark.timeout(900)
def test_it_names_its_release_and_machine(built: Built) -> None:
    version = built.field("Version")
    assert version.endswith(built.release.suffix)
    assert built.archive.name == f"table-referee_{version}_{built.machine.name}.deb"
    assert built.field("Architecture") == built.machine.name


def test_all_files_are_roots_and_can_be_read_by_the_referee(built: Built) -> None:
    words = ["dpkg-deb", "--contents", str(built.archive)]
    for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
        mode, owner, *_ = line.split()
        assert owner == "root/root"
        assert mode in {"drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}, line


def test_its_sums_are_right_and_complete(built: Built) -> None:
    told = (built.tree / "DEBIAN" / "md5sums").read_text(encoding="utf-8").splitlines()
    listed = dict(line.split("  ", 1)[::-1] for line in told)
    there = {
        str(path.relative_to(built.tree)): hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        for path in built.tree.rglob("*")
        if path.is_file() and not path.is_symlink() and "DEBIAN" not in path.parts
    }
    assert listed == there


def test_nothing_tells_where_it_was_built(built: Built) -> None:
    places = [str(ROOT).encode(), str(Path(sys.prefix).resolve()).encode()]
    telling = [
        path
        for path in built.tree.rglob("*")
        if path.is_file() and not path.is_symlink() and any(place in path.read_bytes() for place in places)
    ]
    assert telling == []
    assert list(built.packages.glob("*/direct_url.json")) == []


def test_every_library_is_for_its_machine_and_finds_what_it_links_to(built: Built) -> None:
    found = libraries(built.unpacked)
    own = {path.name for path in found}
    depends = {each.split()[0] for each in built.field("Depends").split(", ")} | {"zlib1g"}  # dpkg itself needs zlib1g
    assert len(found) > 50
    for path in found:
        assert int.from_bytes(path.read_bytes()[18:20], "little") == ELF[built.machine.name], path
        told = subprocess.run(["readelf", "--dynamic", "--wide", str(path)], capture_output=True, text=True, check=True)
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", told.stdout):
            assert needed in own or SYSTEM.get(needed) in depends, f"{path.name} needs {needed}"


def test_every_requirement_is_there_or_comes_from_apt(built: Built) -> None:
    """As pip would see it on the target; numpy is a package of Debian."""
    version = ".".join(map(str, built.release.python))
    target: dict[str, str] = {
        **{key: str(value) for key, value in default_environment().items()},
        "python_version": version,
        "python_full_version": f"{version}.0",
        "platform_machine": built.machine.wheels,
        "extra": "",
    }
    there: dict[str, str] = {
        canonicalize_name(each.name): each.version for each in metadata.distributions(path=[str(built.packages)])
    }
    locked = {canonicalize_name(pin.name) for pin in lock.read(built.release.lock)}
    assert set(there) == locked - FROM_APT - UNUSED | {
        "table-referee",
        *(f"table-referee-{each.name}" for each in EXTENSIONS),
    }
    for each in metadata.distributions(path=[str(built.packages)]):
        for text in each.requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate(target):
                name = canonicalize_name(needed.name)
                if name in UNUSED:
                    continue
                if name in FROM_APT:
                    assert f"python3-{name}" in built.field("Depends")
                else:
                    assert needed.specifier.contains(there[name], prereleases=True), f"{each.name}: {text}"


def test_nothing_imports_what_was_left_out(built: Built) -> None:
    imports = re.compile(rf"^\s*(import|from) ({'|'.join((*UNUSED, 'distutils', 'pkg_resources'))})\b", re.MULTILINE)
    sources = built.packages.rglob("*.py")
    assert [path for path in sources if imports.search(path.read_text("utf-8", errors="replace"))] == []
    assert not list(built.packages.glob("*.pth")), "a hook of each start of Python"


def test_every_module_has_bytecode_that_is_never_written_again(built: Built) -> None:
    """PEP 552: unchecked, so that it holds whatever times files get; and tracebacks name files of the target."""
    name = (built.unpacked / "NAME").read_text(encoding="utf-8").strip()
    home = HOME / name / built.packages.relative_to(built.unpacked)
    for module in ("device/cli/tree.py", "vision/worker.py", "engine/match.py", "luma/oled/device/__init__.py"):
        tag = f"cpython-{built.release.python[0]}{built.release.python[1]}"
        compiled = (built.packages / module).parent / "__pycache__" / f"{Path(module).stem}.{tag}.pyc"
        content = compiled.read_bytes()
        assert int.from_bytes(content[4:8], "little") == 0b01
        if sys.version_info[:2] == built.release.python:
            assert marshal.loads(content[16:]).co_filename == str(home / module)
    sources = {path for path in built.packages.rglob("*.py") if "__pycache__" not in path.parts}
    compiled_ = {path for path in built.packages.rglob("*.pyc")}
    assert len(sources) - len(compiled_) <= 5, "sources that do not compile are few: templates and examples"


def test_it_brings_the_rules_whose_licence_allows_it(built: Built) -> None:
    """Those of Dueling Runes may not be sold (NOTICE)."""
    for game in ("fence", "planetx", "tellstones"):
        source = ROOT / "docs" / "rules" / f"{game}.md"
        assert (built.packages / "device" / "_config" / "rules" / source.name).read_bytes() == source.read_bytes()
    assert not list(built.tree.rglob("rules/runes.md"))


def test_the_program_runs_out_of_it(built: Built) -> None:
    """With this machine's interpreter, where it is of the package's version and machine, and with numpy as from apt."""
    if sys.version_info[:2] != built.release.python or os.uname().machine != built.machine.wheels:
        libraries_of_python = list((built.packages / "msgspec").glob("_core.*.so"))
        tag = f"cpython-{built.release.python[0]}{built.release.python[1]}-{built.machine.wheels}-linux-gnu"
        assert [path.name for path in libraries_of_python] == [f"_core.{tag}.so"]
        return
    numpy = built.tree.parent / "apt"
    numpy.mkdir(exist_ok=True)
    for part in ("numpy", "numpy.libs"):
        if not (numpy / part).exists():
            (numpy / part).symlink_to(str(metadata.distribution("numpy").locate_file(part)))
    code = (
        "import sys; sys.path += [sys.argv.pop(1), sys.argv.pop(1)]; sys.argv[0] = 'referee';"
        "import device.daemon.core, vision.worker; from device.cli import main; main()"
    )
    for words in (["--version"], ["run", "--help"], ["doctor", "--help"]):
        result = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(built.packages), str(numpy), *words],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        assert result.returncode == 0, result.stderr


def test_the_command_is_started_by_the_interpreter_beside_it(built: Built) -> None:
    name = (built.unpacked / "NAME").read_text(encoding="utf-8").strip()
    first = (built.unpacked / "bin" / "referee").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"#!{HOME / name / 'bin' / 'python'}"
    assert (built.unpacked / "bin" / "python").readlink() == Path(built.release.interpreter)
    assert (built.unpacked / "bin" / built.release.interpreter).readlink() == Path(
        f"/usr/bin/{built.release.interpreter}"
    )
    assert (built.tree / "usr/bin/referee").readlink() == HOME / "current/bin/referee"


def test_the_bill_names_all_that_is_in_it(built: Built) -> None:
    bill = json.loads((built.tree / "usr/share/doc/table-referee/sbom.cdx.json").read_bytes())
    assert bill["bomFormat"] == "CycloneDX"
    parts = {part["purl"]: part for part in bill["components"] if "purl" in part}
    for pin in lock.read(built.release.lock):
        if pin.name not in FROM_APT | UNUSED:
            part = parts[f"pkg:pypi/{pin.name}@{pin.version}"]
            assert [each["content"] for each in part["hashes"]], pin.name
            assert {each["content"] for each in part["hashes"]} <= set(pin.hashes)
    scripts = {f"pkg:npm/{name}@{version}" for name, version, _ in VENDORED.values()}
    assert scripts <= parts.keys()
    assert {part["name"] for part in bill["components"] if part["type"] == "machine-learning-model"} == {
        "vision/recognition/embedding.onnx"
    }


def test_the_manual_knows_every_command(built: Built) -> None:
    page = built.tree / "usr/share/man/man1/referee.1.gz"
    told = subprocess.run(["zcat", str(page)], capture_output=True, text=True, check=True).stdout
    for command in ("run", "doctor", "print", "journal export", "planetx check", "pages", "herald", "verify"):
        assert f".SS referee {command}" in told
    assert ".SS referee simulate" not in told
    assert ".SS referee club" not in told


def test_what_it_installs_for_the_system(built: Built) -> None:
    shipped = {path.name for path in (built.tree / "usr/lib/systemd/system").iterdir()}
    folders = ("systemd/*.*", "extensions/*/systemd/*.*", "tools/package/debian/*.service")
    own = [path for folder in folders for path in ROOT.glob(folder)]
    assert shipped == {path.name for path in own}
    for script in ("preinst", "postinst", "prerm", "postrm"):
        path = built.tree / "DEBIAN" / script
        assert "@" not in re.sub(r'"\$@"', "", path.read_text(encoding="utf-8"))
        subprocess.run(["sh", "-n", str(path)], check=True)


@pytest.mark.parametrize("built", REBUILT, ids="-".join, indirect=True)
@pytest.mark.timeout(900)
def test_the_same_checkout_gives_the_same_bytes_elsewhere(built: Built, tmp_path: Path) -> None:
    """In another folder, at another time, in another locale, and with another umask."""
    words = ["--release", built.release.name, "--arch", built.machine.name, "--out", str(tmp_path), "--json"]
    told = run_elsewhere(copied(tmp_path / "another place"), "-m", "tools.package", *words)
    assert Path(json.loads(told)["package"]).read_bytes() == built.archive.read_bytes()
