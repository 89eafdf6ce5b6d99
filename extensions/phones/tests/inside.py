"""A keeper whose workers try, once they are shut in, what one that was taken over would.

Each writes a line of JSON: its audience, and what became of every attempt: "refused" by the kernel, or what was got.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from referee_phones.keeper import Keeper
from referee_phones.libseccomp import library
from referee_phones.plan import Place, receive_plan

PTRACE_ATTACH = 16
MSG_FASTOPEN = 0x20000000
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)


def call(name: str, *arguments: object) -> str:
    """A function of the C library that gives -1 with errno."""
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "done"


def called(name: str, *arguments: object) -> str:
    """A system call by its name: its number is this processor's own."""
    return call("syscall", library().seccomp_syscall_resolve_name(name.encode()), *arguments)


def signalled(processes: list[int], number: int) -> str:
    for pid in processes:
        os.kill(pid, number)
    return "done"


def taken(port: int) -> str:
    """Turns the listening socket into one that calls out."""
    listener = socket.socket(fileno=port)
    try:
        listener.sendto(b"x", MSG_FASTOPEN, ("127.0.0.1", 9))
    finally:
        listener.detach()
    return "sent"


def attempts(place: Place, others: list[int], secret: str, endpoint: str) -> dict[str, Callable[[], object]]:
    """others: processes of the same user. secret: a file. endpoint: another seat's."""
    parent = os.getppid()
    return {
        "journal": lambda: Path(secret).read_bytes(),
        "list": lambda: list(Path("/").iterdir()),
        "stat": lambda: Path(secret).stat(),
        "write": lambda: Path(secret).with_name("left").write_text("x"),
        "another seat": lambda: socket.socket(socket.AF_UNIX).connect(endpoint),
        "network": lambda: socket.create_connection(("127.0.0.1", 9), 0.2),
        "socket pair": socket.socketpair,
        "datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "fast open": lambda: taken(place.listener),
        "shut down": lambda: call("shutdown", place.listener, 2),
        "filter": lambda: call("setsockopt", place.listener, 1, 26, buffer, 16),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "fork": os.fork,
        "keeper killed": lambda: signalled([parent], signal.SIGTERM),
        "other killed": lambda: signalled(others, signal.SIGKILL),
        "group killed": lambda: signalled([0], 0),
        "keeper traced": lambda: call("ptrace", PTRACE_ATTACH, parent, 0, 0),
        "keeper's memory": lambda: Path(f"/proc/{parent}/mem").open("rb"),
        "others' files": lambda: [list(Path(f"/proc/{pid}/fd").iterdir()) for pid in others],
        "memory read": lambda: called("process_vm_readv", parent, buffer, 1, buffer, 1, 0),
        "limits": lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE, (0, 0)),
        "pidfd": lambda: called("pidfd_open", parent, 0),
        "io_uring": lambda: called("io_uring_setup", 1, buffer),
        "memfd": lambda: called("memfd_create", b"x", 0),
        "userfault": lambda: called("userfaultfd", 0),
        "shared memory": lambda: called("shmget", 1, 4096, 0o1000),
        "queue": lambda: called("mq_open", b"/x", 0o100, 0o600, 0),
        "namespace": lambda: called("unshare", 0x10000000),
        "bpf": lambda: called("bpf", 0, buffer, 64),
        "keys": lambda: called("keyctl", 0, 0, 0),
        "code mapped": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
        "code made": lambda: call("mprotect", ctypes.c_void_p(id(buffer) & -mmap.PAGESIZE), mmap.PAGESIZE, 5),
        "dumpable": lambda: call("prctl", 4, 1, 0, 0, 0),
        "received": lambda: libc.recvmsg(place.listener, buffer, 0) != -1 or call("recvmsg", place.listener, buffer, 0),
    }


def tried(attempt: Callable[[], object]) -> str:
    try:
        return f"got {attempt()!r}"
    except OSError as error:
        return "refused" if error.errno == errno.EPERM else f"error {error}"
    except BaseException as error:  # noqa: BLE001  whatever it is, it is told
        return f"error {error!r}"


def descriptors() -> list[int]:
    """Numbers of all that is open here."""
    found = []
    for number in range(256):
        try:
            os.read(number, 0)
        except OSError as error:
            if error.errno == errno.EBADF:
                continue
        found.append(number)
    return found


def probe(place: Place) -> None:
    others, secret, endpoint = json.loads(os.environ["PROBED"])
    found: dict[str, object] = {name: tried(each) for name, each in attempts(place, others, secret, endpoint).items()}
    line = json.dumps({"audience": place.audience, "found": found, "open": len(descriptors())})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(Keeper(receive_plan(int(sys.argv[1])), probe).run())
