"""Makes the disk of a test machine from Debian's packages: `made(recipe)` answers with its parts, made if need be.

Two chroots are made by mmdebstrap. In the workshop, of the host's processor, the kernel modules are built that Debian's
kernel leaves out. The other is what the machine boots: Debian as it is, with the users' groups and device rules of
Raspberry Pi OS. Nothing of the tests is on the disk: kernel modules and the guest's part come by the initial RAM disk
(qemu.py), so a change of them needs no new disk.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.machine.recipe import BASE, HERE, Recipe
from tools.package import lock

# chroot, mkfs and e2fsck lie where not every root's PATH leads, such as that of `su` or of an empty environment.
os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))

HOST = "amd64"
SIZE = "4G"  # sparse

FROM_KERNEL = (
    "drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c", "drivers/i2c/muxes/i2c-mux-pca954x.c",
)  # fmt: skip
"""What Debian's kernel for a PC or a server leaves out, and a Pi's has or does not need."""

NOT_NEEDED = (
    "drivers/net/ethernet", "drivers/net/wireless", "drivers/gpu", "drivers/infiniband", "drivers/scsi", "drivers/iio",
    "drivers/media/usb", "drivers/media/pci", "drivers/media/tuners", "drivers/media/dvb-frontends", "drivers/isdn",
    "sound", "drivers/target", "drivers/hwmon", "drivers/input", "drivers/staging", "drivers/ata", "drivers/md",
    "fs/xfs", "fs/btrfs", "fs/ocfs2", "fs/gfs2", "fs/ceph", "fs/smb",
)  # fmt: skip
"""Drivers of the kernel's package that no such machine has."""

RULES = """\
SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"
SUBSYSTEM=="spidev", GROUP="spi", MODE="0660"
SUBSYSTEM=="dma_heap", GROUP="video", MODE="0660"
SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660"
"""
"""Raspberry Pi OS (raspberrypi-sys-mods, 99-com.rules): who may use what."""

LGPIO = """\
set -e
cd /lgpio
swig -python -Isrc lgpio.i
{gnu}-gcc -shared -fPIC -O2 -pthread -Isrc $(printf -- '-I%s ' /usr/include/python3.* /usr/include/{gnu}/python3.*) \
    -o _lgpio.so lgpio_wrap.c src/lg*.c src/rgpiod.c -lrt -ldl
"""
"""How lgpio's setup.py makes a wheel (PYPI=1), for another processor, too."""

LOCK = Path("requirements/bookworm.txt")

TOOLS = {
    "mmdebstrap": "mmdebstrap", "qemu-img": "qemu-utils", "mkfs.ext4": "e2fsprogs", "dpkg-deb": "dpkg", "cpio": "cpio",
    "modprobe": "kmod", "depmod": "kmod", "make": "make", "tar": "tar", "xz": "xz-utils",
}  # fmt: skip
"""Commands of the host, and the packages that have them."""


class CannotMake(RuntimeError):
    """A disk cannot be made here; the message says what is missing."""


@dataclass(frozen=True)
class Disk:
    """What a machine boots from. version: the kernel's. `modules`: the folder of those built here."""

    recipe: Recipe
    image: Path
    kernel: Path
    initrd: Path
    modules: Path
    packages: Path


def missing(recipe: Recipe) -> list[str]:
    """Debian packages that the host needs and has not."""
    tools = TOOLS | {recipe.processor.qemu: "qemu-system-x86" if recipe.machine == "amd64" else "qemu-system-arm"}
    if recipe.machine != HOST:
        tools |= {
            f"qemu-{recipe.processor.gnu.split('-', maxsplit=1)[0]}-static": "qemu-user-static",
            "arch-test": "arch-test",
            "dtc": "device-tree-compiler",
        }
    return sorted({package for tool, package in tools.items() if shutil.which(tool) is None})


def make_disk(recipe: Recipe) -> Disk:
    """The disk of a recipe, from var/machine/ or made now (minutes). Raises CannotMake."""
    folder = recipe.folder
    if not folder.exists():
        _need(recipe)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="making-") as work:
            _make(recipe, Path(work))
            (Path(work) / "kept").rename(folder)
    (kernel,) = folder.glob("vmlinuz-*")
    return Disk(recipe, folder / "disk.img", kernel, folder / "initrd", folder / "modules", folder / "packages.txt")


def _need(recipe: Recipe) -> None:
    if lacking := missing(recipe):
        raise CannotMake(f"making the test machine needs: sudo apt-get install {' '.join(lacking)}")
    if (
        recipe.machine != HOST
        and subprocess.run(["arch-test", recipe.machine], capture_output=True, check=False).returncode
    ):
        raise CannotMake(
            f"this kernel does not run programs of {recipe.machine}: sudo systemctl restart systemd-binfmt tells it of "
            "qemu-user-static (binfmt_misc has to be mounted)"
        )
    if os.geteuid() != 0:
        raise CannotMake(
            "making the disk of the test machine needs root (for chroot and the owners of files); booting it does not"
        )


def _make(recipe: Recipe, work: Path) -> None:
    kept = work / "kept"
    kept.mkdir()
    workshop, root = work / "workshop", work / "root"
    _time_step("workshop for kernel modules", lambda: _debootstrap(recipe, workshop, HOST, _compilers(recipe)))
    _time_step("kernel modules", lambda: _modules(recipe, workshop, kept / "modules"))
    _time_step("root file system", lambda: _debootstrap(recipe, root, recipe.machine, BASE))
    if recipe.lgpio:
        _time_step("lgpio", lambda: _lgpio(recipe, workshop, root))
    _time_step("kernel and what is Raspberry Pi OS's", lambda: _furnish(workshop, root, kept))
    _time_step("initial RAM disk", lambda: _initrd(root, kept / "initrd"))
    _time_step("image", lambda: _image(root, kept))


def _time_step(what: str, doing: Callable[[], None]) -> None:
    begun = time.monotonic()
    doing()
    print(f"machine: {what}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


def _run(*command: str | Path, cwd: Path | None = None, text: str | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotMake(f"{' '.join(map(str, command))}: {done.stderr[-2000:] or done.stdout[-2000:]}")
    return done.stdout


def _debootstrap(recipe: Recipe, folder: Path, machine: str, packages: tuple[str, ...]) -> None:
    architectures = machine if machine == recipe.machine else f"{machine},{recipe.machine}"
    _run(
        "mmdebstrap", "--variant=minbase", f"--architectures={architectures}", f"--include={','.join(packages)}",
        "--aptopt=Acquire::Retries \"5\"", "--skip=cleanup/apt/lists", recipe.release, folder, *recipe.sources(),
    )  # fmt: skip


def _compilers(recipe: Recipe) -> tuple[str, ...]:
    cross = () if recipe.machine == HOST else (f"gcc-{recipe.processor.gnu.replace('_', '-')}",)
    binding = ("swig", f"libpython3-dev:{recipe.machine}", f"libc6-dev:{recipe.machine}") if recipe.lgpio else ()
    elf = "libelf1" if recipe.release == "bookworm" else "libelf1t64"
    return ("gcc", "make", "kmod", "xz-utils", elf, *cross, *binding)


def _modules(recipe: Recipe, workshop: Path, out: Path) -> None:
    """Builds the modules in the workshop, by its headers and compiler. They are left in `out`."""
    version = _fetch(recipe, workshop)
    _gather(recipe, workshop)
    cross = () if recipe.machine == HOST else (f"CROSS_COMPILE={recipe.processor.gnu}-",)
    headers, machine = f"/usr/src/linux-headers-{version}", f"ARCH={recipe.processor.kernel}"
    plain = "CONFIG_DEBUG_INFO_BTF_MODULES="  # without types for BPF, which want one tool more
    _run("chroot", workshop, "make", "-C", headers, "M=/build", machine, plain, *cross, "modules")
    out.mkdir()
    for path in (workshop / "build").glob("*.ko"):
        shutil.copy(path, out)


def _fetch(recipe: Recipe, workshop: Path) -> str:
    """Kernel, headers and sources into the workshop: its /fetched, and unpacked but for kernel and source."""
    kernel, machine = recipe.kernel, recipe.machine
    shown = _run("chroot", workshop, "apt-cache", "depends", f"linux-image-{machine}:{machine}")
    version = shown.split("Depends: linux-image-")[1].split()[0].removesuffix(f":{machine}")
    common = version.removesuffix(f"-{machine}")
    kbuild = f"linux-kbuild-{kernel if recipe.release == 'bookworm' else common}"
    wanted = (
        f"linux-image-{version}:{machine}", f"linux-headers-{version}:{machine}", f"linux-headers-{common}-common",
        f"{kbuild}:{HOST}", f"linux-source-{kernel}", "v4l2loopback-dkms",
    )  # fmt: skip
    fetched = workshop / "fetched"
    fetched.mkdir()
    download = f"cd /fetched && apt-get -o APT::Sandbox::User=root download -q {' '.join(wanted)}"
    _run("chroot", workshop, "sh", "-c", download)
    for package in fetched.glob("*.deb"):
        if not package.name.startswith(("linux-image", "linux-source")):
            _unpack(package, workshop)
    return version


def _unpack(package: Path, root: Path) -> None:
    """Without its scripts, and through links: /lib is one."""
    _run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar x --keep-directory-symlink -C {root}")


def _gather(recipe: Recipe, workshop: Path) -> None:
    """The sources of all modules into the workshop's /build."""
    build, top = workshop / "build", f"linux-source-{recipe.kernel}"
    build.mkdir()
    (source,) = (workshop / "fetched").glob("linux-source*.deb")
    paths = " ".join(f"{top}/{path}" for path in FROM_KERNEL)
    unpacked = f"dpkg-deb --fsys-tarfile {source} | tar xO ./usr/src/{top}.tar.xz"
    _run("sh", "-c", f"{unpacked} | tar xJ -C {build} --strip-components=1 {paths}")
    for path in FROM_KERNEL:  # irq_to_desc is not for modules
        text = re.sub(r"irq_to_desc\(([^)]*)\)", r"irq_data_to_desc(irq_get_irq_data(\1))", (build / path).read_text())
        (build / Path(path).name).write_text(text)
    (loopback,) = (workshop / "usr/src").glob("v4l2loopback-*")
    for own in (*(HERE / "modules").iterdir(), *loopback.glob("*.[ch]")):
        shutil.copy(own, build)


def _lgpio(recipe: Recipe, workshop: Path, root: Path) -> None:
    """Raspberry Pi OS's package python3-lgpio, which Debian has not: built in the workshop, installed in the root.

    From the source that the lock of Bookworm knows by its hash; where there is a wheel, the referee's package has that.
    """
    build, folder = workshop / "lgpio", workshop / "python3-lgpio"
    build.mkdir()
    (pin,) = (each for each in lock.read(LOCK) if each.name == "lgpio")
    wanted = lock.write([pin], build / "wanted.txt")
    plain = ("--no-deps", "--no-binary", ":all:", "--require-hashes", "-q", "-d", build, "-r", wanted)
    _run(sys.executable, "-m", "pip", "download", *plain)
    (source,) = build.glob("lgpio-*.tar.gz")
    _run("tar", "xzf", source, "-C", build, "--strip-components=1")
    _run("chroot", workshop, "sh", "-c", LGPIO.format(gnu=recipe.processor.gnu))
    modules, control = folder / "usr/lib/python3/dist-packages", folder / "DEBIAN/control"
    for path in (modules, control.parent):
        path.mkdir(parents=True)
    for name in ("lgpio.py", "_lgpio.so"):
        shutil.copy(build / name, modules)
    fields = {"Package": folder.name, "Version": pin.version, "Architecture": recipe.machine, "Depends": "python3"}
    fields |= {"Maintainer": "the test machine <root@table>", "Description": "pins, as Raspberry Pi OS has them"}
    control.write_text("".join(f"{name}: {value}\n" for name, value in fields.items()))
    _run("dpkg-deb", "--build", folder, root / "lgpio.deb")
    _run("chroot", root, "dpkg", "--install", "/lgpio.deb")
    (root / "lgpio.deb").unlink()


def _furnish(workshop: Path, root: Path, kept: Path) -> None:
    """The kernel, unpacked (its scripts would make an initial RAM disk, which nobody needs), and a Pi's settings."""
    (image,) = (workshop / "fetched").glob("linux-image-*.deb")
    _unpack(image, root)
    for path in (root / "boot").iterdir():
        if path.name.startswith("vmlinuz-"):
            shutil.copy(path, kept)
        path.unlink()
    version = _version(root)
    for name in NOT_NEEDED:
        shutil.rmtree(root / "lib/modules" / version / "kernel" / name, ignore_errors=True)
    _run("depmod", "-b", root, version)
    for group in ("gpio", "i2c", "spi"):
        _run("chroot", root, "groupadd", "--system", "--force", group)
    (root / "etc/udev/rules.d/99-com.rules").write_text(RULES)
    (root / "etc/fstab").write_text("/dev/vda / ext4 noatime,errors=remount-ro 0 1\n")
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/machine-id").write_text("uninitialized\n")
    for unit in ("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "dpkg-db-backup.timer"):
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    _run("chroot", root, "passwd", "-d", "root")
    (kept / "packages.txt").write_text(_run("chroot", root, "dpkg-query", "-W"))


def _version(root: Path) -> str:
    (folder,) = (path for path in (root / "lib/modules").iterdir() if path.name[0].isdigit())
    return folder.name


INIT = """\
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
for module in $(/bin/busybox cat /order); do /bin/busybox insmod "/mod/$module"; done
while [ ! -b /dev/vda ]; do /bin/busybox sleep 0.05; done
/bin/busybox mount -t ext4 -o noatime /dev/vda /root || exec /bin/busybox sh
/bin/busybox mount -t tmpfs -o mode=755,nosuid,nodev run /root/run
/bin/busybox cp -a /run/. /root/run/
/bin/busybox mount --move /dev /root/dev
/bin/busybox umount /proc /sys
exec /bin/busybox switch_root /root /lib/systemd/systemd
"""
"""What is below /run of the initial RAM disk is below the machine's /run: the guest's part of the tests."""


def _initrd(root: Path, out: Path) -> None:
    """A small one: Debian's own takes long to make under emulation, and to unpack."""
    version = _version(root)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("bin", "dev", "proc", "sys", "root", "run", "mod"):
            (tree / name).mkdir()
        shutil.copy(root / "bin/busybox", tree / "bin/busybox")
        order = dict[Path, None]()
        for name in ("virtio_pci", "virtio_blk", "ext4"):
            shown = _run("modprobe", "-d", root, "-S", version, "--show-depends", name)
            order |= {Path(line.split()[1]): None for line in shown.splitlines() if line.startswith("insmod")}
        for module in order:
            _insmodable(module, tree / "mod")
        (tree / "order").write_text("".join(f"{module.name.removesuffix('.xz')}\n" for module in order))
        (tree / "init").write_text(INIT)
        (tree / "init").chmod(0o755)
        pack(tree, out)


def _insmodable(module: Path, into: Path) -> None:
    shutil.copy(module, into)
    if module.suffix == ".xz":
        _run("xz", "-d", into / module.name)


def pack(tree: Path, out: Path) -> None:
    """A folder as an initial RAM disk, or as a part that is put after one."""
    _run("sh", "-c", f"cd {tree} && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1 > {out.absolute()}")


def _image(root: Path, kept: Path) -> None:
    _run("mkfs.ext4", "-q", "-L", "table", "-d", root, kept / "disk.img", SIZE)
