"""Keeps one worker running for each audience: `python -m referee_phones.keeper DESCRIPTOR`.

It forks each worker with a connection to the daemon's socket and a listening TCP socket, accepts no connection, and
reads only heartbeats. A worker that ends or falls silent is replaced; while the daemon is away, by one that says so."""

from __future__ import annotations

import errno
import gc
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterable

import msgspec

from referee_phones import confine, worker
from referee_phones.plan import Place, Plan, receive_plan

LOOK_S = 0.5
"""Seconds between tries to reach an absent daemon."""

SHORT_S = 5.0
"""A worker that lived shorter has failed, and the next one waits longer."""

PAUSE_S, LONGEST_PAUSE_S = 0.25, 8.0
WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT)
SILENT_S = 8.0
"""Seconds without a heartbeat after which a worker is killed."""

NOT_SHUT_IN = 3
"""Exit code of a worker that could not be confined; it is not replaced."""


class Post(msgspec.Struct):
    """One audience's worker.

    pid: None without one
    linked: connected to the daemon
    failed: failures in a row
    life: descriptor for its heartbeats
    silent_s: seconds since the last one
    since, not_before: start and earliest next start (monotonic clock, s)"""

    place: Place
    pid: int | None = None
    linked: bool = False
    failed: int = 0
    life: int | None = None
    silent_s: float = 0.0
    since: float = 0.0
    not_before: float = 0.0


class Keeper:
    """Runs all audiences' workers. once_shut_in: called by each with its place, for tests. now: monotonic clock."""

    def __init__(
        self,
        plan: Plan,
        once_shut_in: Callable[[Place], None] = lambda _: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan, self._once_shut_in, self._now = plan, once_shut_in, now
        self._looked = now()
        self._posts = [Post(place) for place in plan.places]
        self._stopped: int | None = None

    def run(self) -> int:
        """Run until SIGTERM or SIGINT (return 0), or until a worker can't be confined (NOT_SHUT_IN). Raises
        Unconfined, OSError."""
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        if self._plan.shut_in:
            confine.check()
        worker.preload()
        gc.collect()
        gc.freeze()
        try:
            while self._stopped is None:
                for post in self._posts:
                    self._replace_worker(post)
                told = signal.sigtimedwait(WATCHED, LOOK_S)
                if told is not None and told.si_signo != signal.SIGCHLD:
                    self._stopped = 0
                self._reap()
                self.look()
        finally:
            self._end_all()
        return self._stopped

    def _replace_worker(self, post: Post) -> None:
        """Fork a missing worker, or replace one without the daemon once that is there; not before `not_before`."""
        now = self._now()
        if post.linked or now < post.not_before:
            return
        link = _connect(post.place.endpoint)
        if link is None and post.pid is not None:
            return
        if post.pid is not None:
            os.kill(post.pid, signal.SIGKILL)
            os.waitpid(post.pid, 0)
            _close_heartbeat(post)
        post.linked, post.since, post.silent_s = link is not None, now, 0.0
        post.life, life = os.pipe()
        os.set_blocking(post.life, False)
        os.set_blocking(life, False)
        post.pid = self._fork(post.place, link, life)
        os.close(life)
        if link is not None:
            link.close()

    def look(self) -> None:
        """Kill workers silent for SILENT_S. A pause of this process counts as 2 * LOOK_S at most."""
        now = self._now()
        passed, self._looked = min(now - self._looked, 2 * LOOK_S), now
        for post in self._posts:
            if post.pid is None or post.life is None:
                continue
            post.silent_s = 0.0 if _lives(post.life) else post.silent_s + passed
            if post.silent_s > SILENT_S:
                sys.stderr.write(f"referee: the pages' worker for {post.place.audience} hangs: it is killed\n")
                sys.stderr.flush()
                post.silent_s = 0.0
                os.kill(post.pid, signal.SIGKILL)

    def _fork(self, place: Place, link: socket.socket | None, life: int) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            _close_but({0, 1, 2, life, place.listener} | ({link.fileno()} if link is not None else set()))
            listener = socket.socket(fileno=place.listener)
            worker.serve(self._plan, place, listener, link, life, lambda: self._once_shut_in(place))
            code = 0
        except confine.Unconfined as error:
            sys.stderr.write(f"referee: {error}\n")
            code = NOT_SHUT_IN
        except BaseException:  # noqa: BLE001  it is told, and this process ends here in any case
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        for post in self._posts:
            if post.pid is None:
                continue
            pid, status = os.waitpid(post.pid, os.WNOHANG)
            if pid:
                self._note_end(post, os.waitstatus_to_exitcode(status))

    def _note_end(self, post: Post, code: int) -> None:
        now = self._now()
        _close_heartbeat(post)
        lived, post.pid, post.linked = now - post.since, None, False
        if code == NOT_SHUT_IN:
            self._stopped = code
            return
        post.failed = post.failed + 1 if lived < SHORT_S else 0
        pause = min(PAUSE_S * 2**post.failed, LONGEST_PAUSE_S) if post.failed else 0.0
        post.not_before = now + pause
        if code:  # without one the daemon went
            sys.stderr.write(
                f"referee: the pages' worker for {post.place.audience} ended ({code}); another is started\n"
            )

    def _end_all(self) -> None:
        for post in self._posts:
            if post.pid is not None:
                os.kill(post.pid, signal.SIGTERM)
        for post in self._posts:
            if post.pid is not None:
                os.waitpid(post.pid, 0)


def _connect(endpoint: str) -> socket.socket | None:
    """Connect to the daemon's socket; None if it is absent, full or not permitted. Raises OSError for other faults."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(endpoint)
    except OSError as error:
        link.close()
        if error.errno in {errno.ENOENT, errno.ECONNREFUSED, errno.EACCES, errno.ENOTDIR, errno.EAGAIN}:
            return None
        raise
    return link


def _lives(life: int) -> bool:
    """Read arrived heartbeats; return True for any."""
    try:
        return bool(os.read(life, 4096))
    except BlockingIOError:
        return False


def _close_heartbeat(post: Post) -> None:
    if post.life is not None:
        os.close(post.life)
        post.life = None


def _close_but(kept: set[int]) -> None:
    edges = sorted(kept)
    for low, high in zip([-1, *edges], [*edges, os.sysconf("SC_OPEN_MAX")], strict=True):
        if low + 1 < high:  # closerange(0, 0) would close all (close_range(2) with -1)
            os.closerange(low + 1, high)


def main(words: Iterable[str]) -> int:
    (number,) = words
    return Keeper(receive_plan(int(number))).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
