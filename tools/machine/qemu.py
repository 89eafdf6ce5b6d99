"""The test machine under QEMU: booted, asked over a serial port, and cut off from power at will.

with Machine(made(Recipe()), folder) as machine:
    print(machine.sh("systemctl is-active referee").out)
"""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from tools.machine.disk import Disk, pack
from tools.machine.guest.agent import MOUNT, SHARE
from tools.machine.recipe import BOARDS, HERE, Board

SIMULATOR = HERE.parents[1] / "extensions" / "simulator" / "src" / "referee_simulator"
"""Its players press the buttons of the guest."""

PANIC = "Kernel panic"
"""What the console of a machine says whose kernel has given up."""

LOOK_S = 2.0
"""Between two looks at the console of a machine that does not answer."""

BOOT_S = 1800.0
"""For a machine to answer at all: an arm64 one whose instructions are counted needs so long on a host that has other
work. One that has ended or whose kernel has given up is not waited for.
"""

ONLINE = """\
set -e
card=$(basename /sys/class/net/e*)
busybox ip link set $card up
busybox ip address add 10.0.2.15/24 dev $card
busybox ip route add default via 10.0.2.2
echo nameserver 10.0.2.3 > /etc/resolv.conf
"""
"""QEMU's own network: addresses that it always has."""

QUICK_BOOT_S = 20.0
"""How long a machine may boot for that the waits of tests are meant for: an amd64 one on a quiet host. One that took
longer has as much longer for everything (`pace`)."""

PATIENCE_S = 5.0
"""For the first answer of a machine's agent; then twice as long each time."""


class MachineError(RuntimeError):
    """The machine does not do what it should; the message has what it said."""


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    command: str
    rc: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """What it wrote, without the white space around it."""
        return self.out.strip()


@dataclass(frozen=True)
class Options:
    """How a machine is put together.

    board: of recipe.BOARDS. camera: yes, no or late. displays: BUS:ADDRESS of each that answers, buses as in
    modules/pi_buses.c. mux: an i2c-mux is there. blocks: a file that gets every write to the disk (QEMU's
    blklogwrites). icount: one instruction takes one nanosecond, on one processor. safe: a write that the machine was
    told is done outlives QEMU. network: it reaches what the host reaches (`go_online`). words: more for the kernel's
    command line.
    """

    board: str = "pi4"
    memory_mb: int = 0
    cores: int = 2
    camera: str = "no"
    displays: tuple[str, ...] = ("0:0x3c", "0:0x3d")
    mux: bool = False
    blocks: Path | None = None
    icount: bool = False
    safe: bool = True
    network: bool = False
    words: tuple[str, ...] = field(default=())


class Machine:
    """A machine in a folder of its own: its disk keeps what it writes apart from the base."""

    def __init__(
        self,
        disk: Disk,
        folder: Path,
        options: Options | None = None,
        base: Path | None = None,
        memory: Path | None = None,
    ) -> None:
        """base: an overlay of the disk's image to go on from, such as one with the referee installed. memory: what one
        with these options and that disk was put to sleep with; the first boot wakes it.
        """
        self.disk, self.folder, self.options = disk, folder, options or Options()
        self.share = folder / "share"
        self.share.mkdir(parents=True, exist_ok=True)
        self.image = folder / "disk.qcow2"
        if not self.image.exists():
            overlay(base or disk.image, self.image)
        self.boot_s = 0.0
        self.pace = 1.0
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None
        self._sockets = tempfile.mkdtemp(prefix="machine-")  # a socket's path has to be short

    def __enter__(self) -> Self:
        self.boot()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """The power goes, for good."""
        self.cut()
        shutil.rmtree(self._sockets, ignore_errors=True)

    @property
    def _monitor(self) -> str:
        return str(Path(self._sockets) / "monitor")

    @property
    def console(self) -> Path:
        return self.folder / "console.log"

    # Power.

    def boot(self, wait_s: float = BOOT_S) -> float:
        """Switches it on and waits until its agent answers; returns the seconds. Raises MachineError.

        A kernel that rewrites its own code while it runs (Linux 6.12 its jump labels) panics in QEMU's threads now and
        then: then it is switched on again, once.
        """
        try:
            return self._boot(wait_s)
        except MachineError:
            if PANIC not in _tail(self.console):
                raise
            self.cut()
            return self._boot(wait_s)

    def _boot(self, wait_s: float) -> float:
        path = Path(self._sockets) / "agent"
        path.unlink(missing_ok=True)
        begun = time.monotonic()
        memory, self._memory = self._memory, None
        incoming = [] if memory is None else ["-incoming", f"exec:cat {shlex.quote(str(memory))}"]
        command = [*self._command(path), *incoming]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._line = Line(path, self._process, begun + wait_s)
        timeout = PATIENCE_S
        while True:
            try:
                if self._line.ask({"sh": "true"}, timeout)["rc"] == 0:
                    break
            except TimeoutError:
                ended = self._process.poll() is not None or PANIC in _tail(self.console)
                if ended or time.monotonic() > begun + wait_s:
                    raise MachineError(f"it does not answer; the console says:\n{_tail(self.console)}") from None
                timeout *= 2  # a busy host may take longer for every answer
        if memory is not None:
            self.must(MOUNT)
        self.boot_s = time.monotonic() - begun
        self.pace = max(self.pace, self.boot_s / QUICK_BOOT_S)
        return self.boot_s

    def cut(self) -> None:
        """The power goes."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def off(self) -> None:
        """Shuts it down in order, so that all that it wrote is on its disk."""
        assert self._process is not None
        self.sh("systemctl poweroff --no-block", 30)
        try:
            self._process.wait(180)
        except subprocess.TimeoutExpired:
            raise MachineError(f"it does not shut down; the console says:\n{_tail(self.console)}") from None
        finally:
            self.cut()

    def sleep(self, memory: Path, seconds: float = 300) -> None:
        """Writes what its memory holds to a file, and ends: whoever has that and its disk goes on from here. Raises
        MachineError."""
        self.must(f"umount {SHARE}")  # QEMU keeps no memory of a folder that it shares
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            try:
                line.connect(self._monitor)
            except OSError as error:
                raise MachineError(f"QEMU's monitor does not answer: {error}") from error
            monitor = line.makefile("rw")

            def ask_monitor(execute: str, **arguments: str) -> dict[str, Any]:
                try:
                    monitor.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
                    monitor.flush()
                    while not {"return", "error"} & (said := json.loads(monitor.readline())).keys():
                        pass
                except (OSError, ValueError) as error:
                    raise MachineError(f"QEMU does not {execute}: {error!r}") from error
                if "error" in said:
                    raise MachineError(f"QEMU does not {execute}: {said['error']['desc']}")
                return cast("dict[str, Any]", said["return"])

            ask_monitor("qmp_capabilities")
            ask_monitor("migrate", uri=f"exec:cat > {shlex.quote(str(memory))}")
            until = time.monotonic() + seconds
            while (state := ask_monitor("query-migrate")["status"]) != "completed":
                if state == "failed" or time.monotonic() > until:
                    raise MachineError(f"its memory is not written: {state}")
                time.sleep(0.1)
        self.cut()

    # Asking.

    def sh(self, command: str, timeout: float = 600) -> Done:
        """Runs a command as root, whatever comes of it. timeout: times the machine's pace, here and below."""
        timeout *= self.pace
        told = self.ask({"sh": command, "timeout": timeout}, timeout + 30)
        return Done(command, told["rc"], told["out"], told["err"])

    def must(self, command: str, timeout: float = 600) -> Done:
        """Runs a command that has to succeed. Raises MachineError."""
        done = self.sh(command, timeout)
        if done.rc:
            raise MachineError(f"{command}: rc {done.rc}\n{done.out[-4000:]}\n{done.err[-4000:]}")
        return done

    def ask(self, question: dict[str, Any], timeout: float = 60) -> dict[str, Any]:
        """Asks the agent (guest/agent.py). Raises TimeoutError; MachineError at once where the kernel has given up."""
        assert self._line is not None
        return self._line.ask(question, timeout, self._mind_panic)

    def _mind_panic(self) -> None:
        if PANIC in (said := _tail(self.console)):
            raise MachineError(f"its kernel has given up; the console says:\n{said}")

    def tell(self, line: str) -> None:
        """To the buses: `there BUS ADDRESS 0|1`, `hang MS`, `stretch 0|1`."""
        self.ask({"tell": line})

    def go_online(self) -> None:
        """Connects a machine that was booted with a network. Raises MachineError."""
        self.must(ONLINE)

    def log(self) -> bytes:
        """What was sent on the buses since the machine was switched on (guest/oled.py decodes it)."""
        self.must("cp /run/machine/log /run/machine/share/log")
        return (self.share / "log").read_bytes()

    def wait(self, command: str, seconds: float, every: float = 0.3) -> float:
        """Until a command succeeds; returns the seconds. Raises MachineError."""
        begun, seconds = time.monotonic(), seconds * self.pace
        while (done := self.sh(command)).rc:
            if time.monotonic() > begun + seconds:
                raise MachineError(f"not within {seconds:.0f} s: {command}\n{done.out[-2000:]}{done.err[-2000:]}")
            time.sleep(every)
        return time.monotonic() - begun

    # Its parts.

    def _command(self, agent: Path) -> list[str]:
        arm = self.disk.recipe.machine == "arm64"
        recipe, options, board = self.disk.recipe, self.options, BOARDS[self.options.board]
        memory = f"{options.memory_mb or board.memory_mb}M"
        cores = "1" if options.icount else str(options.cores)
        speed = ["-icount", "shift=0"] if options.icount else ["-accel", "tcg,thread=multi,tb-size=512"]
        cpu = board.cpu if arm else "Nehalem"
        hardware = ["-M", "virt" if arm else "q35", "-cpu", cpu, "-smp", cores, "-m", memory]
        tree = ["-dtb", str(self._device_tree(hardware, board))] if arm else []
        return [
            "setpriv", "--pdeathsig", "KILL", recipe.processor.qemu, *hardware, *tree, *speed,
            "-nodefaults", "-display", "none", "-no-reboot", *self._network(),
            "-kernel", str(self.disk.kernel), "-initrd", str(self._initrd()), "-append", " ".join(self._words(board)),
            *self._drive(), "-device", "virtio-blk-pci,drive=disk",
            "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,path={agent},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent", "-device", "virtio-rng-pci",
            "-fsdev", f"local,id=share,path={self.share},security_model=none",
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=share", "-serial", f"file:{self.console}",
            "-qmp", f"unix:{self._monitor},server=on,wait=off",
        ]  # fmt: skip

    def _words(self, board: Board) -> Iterator[str]:
        """The kernel's command line; cgroup_disable is Raspberry Pi OS's. On a busy host a timer may tick too late for
        the kernel's check of it, which panics."""
        options = self.options
        yield from ("root=/dev/vda", "rw", "quiet", "loglevel=4", "cgroup_disable=memory", "mitigations=off")
        yield "systemd.getty_auto=no"  # nobody logs in, and each console is waited for
        if self.disk.recipe.machine == "amd64":
            yield "no_timer_check"
        yield f"console={self.disk.recipe.processor.console}"
        yield f"machine.revision={board.revision:#x}"
        yield f"machine.model={board.model.replace(' ', '_')}"
        yield f"machine.camera={options.camera}"
        yield f"machine.displays={','.join(options.displays)}"
        yield f"machine.mux={int(options.mux)}"
        yield from options.words

    def _network(self) -> list[str]:
        if not self.options.network:
            return ["-nic", "none"]
        return ["-netdev", "user,id=net,ipv6=off", "-device", "virtio-net-pci,netdev=net,romfile="]

    def _drive(self) -> list[str]:
        if self.options.blocks is None:
            cache = "writeback" if self.options.safe else "unsafe"
            return ["-drive", f"file={self.image},format=qcow2,if=none,id=disk,cache={cache}"]
        self.options.blocks.write_bytes(b"")
        log = f"log.driver=file,log.filename={self.options.blocks},log-sector-size=512"
        return [
            "-blockdev", f"driver=qcow2,node-name=below,file.driver=file,file.filename={self.image}",
            "-blockdev", f"driver=blklogwrites,node-name=disk,file=below,{log}",
        ]  # fmt: skip

    def _initrd(self) -> Path:
        """The disk's own, and after it the guest's part of the tests with the kernel modules."""
        out = self.folder / "initrd"
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder) / "run/machine"
            shutil.copytree(self.disk.modules, here / "modules")
            shutil.copytree(HERE / "guest", here / "tools/machine/guest", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copytree(SIMULATOR, here / SIMULATOR.name, ignore=shutil.ignore_patterns("__pycache__"))
            units = Path(folder) / "run/systemd/system"
            (units / "sysinit.target.wants").mkdir(parents=True)
            shutil.copy(HERE / "guest/agent.service", units)
            (units / "sysinit.target.wants/agent.service").symlink_to("../agent.service")
            part = self.folder / "guest.cpio"
            pack(Path(folder), part)
        out.write_bytes(self.disk.initrd.read_bytes() + part.read_bytes())
        return out

    def _device_tree(self, hardware: list[str], board: Board) -> Path:
        """QEMU's own, with a Pi's model and revision, without its power button."""
        raw, out = self.folder / "raw.dtb", self.folder / "board.dtb"
        qemu = [self.disk.recipe.processor.qemu, "-M", f"virt,dumpdtb={raw}", *hardware[2:], "-display", "none"]
        subprocess.run(qemu, check=True, capture_output=True)
        read = ["dtc", "-q", "-I", "dtb", "-O", "dts", str(raw)]
        source = subprocess.run(read, check=True, capture_output=True, text=True).stdout
        source += f'/ {{ model = "{board.model}"; /delete-node/ gpio-keys; /delete-node/ pl061@9030000; '
        source += f"system {{ linux,revision = <{board.revision:#x}>; }}; }};\n"
        subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", str(out)], input=source, text=True, check=True)
        return out


class Line:
    """The host's end of the agent's serial port."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes], until: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        while self._socket.connect_ex(str(path)):  # it is not there yet, or nobody listens yet
            if process.poll() is not None or time.monotonic() > until:
                self._socket.close()
                said = process.stderr.read().decode() if process.stderr and process.poll() is not None else ""
                raise MachineError(f"QEMU ended: {said}")
            time.sleep(0.05)
        self._answers = dict[int, dict[str, Any]]()
        self._count, self._news = 0, threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(
        self, question: dict[str, Any], timeout: float, meanwhile: Callable[[], None] = lambda: None
    ) -> dict[str, Any]:
        """meanwhile: called every LOOK_S of the wait; what it raises ends that. Raises TimeoutError."""
        until = time.monotonic() + timeout
        with self._news:
            self._count += 1
            number = self._count
            try:
                self._socket.sendall(json.dumps({**question, "id": number}).encode() + b"\n")
            except OSError as error:
                raise TimeoutError(f"{question}: {error}") from error
            while not self._news.wait_for(lambda: number in self._answers, min(LOOK_S, until - time.monotonic())):
                if time.monotonic() >= until:
                    raise TimeoutError(str(question))
                meanwhile()
            return self._answers.pop(number)

    def _read(self) -> None:
        pending = b""
        while data := self._receive():
            *lines, pending = (pending + data).split(b"\n")
            with self._news:
                for line in lines:
                    told = json.loads(line)
                    self._answers[told["id"]] = told
                self._news.notify_all()

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(65536)
        except OSError:
            return b""


def overlay(base: Path, path: Path) -> None:
    """A disk that keeps what is written to it apart from its base."""
    form = "raw" if base.suffix == ".img" else base.suffix.removeprefix(".")
    command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", form, "-b", str(base.absolute()), str(path)]
    subprocess.run(command, check=True)


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-6000:] if path.exists() else ""


@contextmanager
def running(machine: Machine) -> Iterator[Machine]:
    """A machine that is shut down in order at the end, so that others may go on from its disk."""
    machine.boot()
    try:
        yield machine
        machine.off()
    finally:
        machine.cut()
