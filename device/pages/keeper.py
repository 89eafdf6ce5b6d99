"""Keeps one worker running for each audience: `python -m device.pages.keeper DESCRIPTOR`, started by `referee pages`.

It connects to the daemon's sockets, and forks a worker with one such connection and one TCP socket that listens; no
worker inherits another's. It takes no connection and reads nothing that anybody sends. A worker that ends is replaced;
while the daemon is away, by one that tells guests so.
"""

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

from device.pages import confine, worker
from device.pages.plan import Place, Plan, received

LOOK_S = 0.5
"""So often it is looked whether the daemon is there, where it was not."""

SHORT_S = 5.0
"""A worker that lived no longer than this has failed: the next one waits, longer each time."""

PAUSE_S, LONGEST_PAUSE_S = 0.25, 8.0
WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT)
NOT_SHUT_IN = 3
"""Exit code of a worker that could not be shut in: no other would fare better."""


class Post(msgspec.Struct):
    """One audience's worker. pid: None if there is none. linked: it has the daemon. failed: in a row.
    since, not_before: seconds of the monotonic clock."""

    place: Place
    pid: int | None = None
    linked: bool = False
    failed: int = 0
    since: float = 0.0
    not_before: float = 0.0


class Keeper:
    """once_shut_in: called by every worker with its place; for tests."""

    def __init__(self, plan: Plan, once_shut_in: Callable[[Place], None] = lambda _: None) -> None:
        self._plan, self._once_shut_in = plan, once_shut_in
        self._posts = [Post(place) for place in plan.places]
        self._stopped: int | None = None

    def run(self) -> int:
        """Until SIGTERM or SIGINT; returns the exit code."""
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        if self._plan.shut_in:
            confine.library()
        worker.rehearsed()
        gc.collect()
        gc.freeze()
        try:
            while self._stopped is None:
                for post in self._posts:
                    self._man(post)
                told = signal.sigtimedwait(WATCHED, LOOK_S)
                if told is not None and told.si_signo != signal.SIGCHLD:
                    self._stopped = 0
                self._reap()
        finally:
            self._end_all()
        return self._stopped

    def _man(self, post: Post) -> None:
        """A worker with the daemon if it is there; else one without."""
        now = time.monotonic()
        if post.linked or now < post.not_before:
            return
        link = _reached(post.place.endpoint)
        if link is None and post.pid is not None:
            return
        if post.pid is not None:
            os.kill(post.pid, signal.SIGKILL)
            os.waitpid(post.pid, 0)
        post.linked, post.since = link is not None, now
        post.pid = self._forked(post.place, link)
        if link is not None:
            link.close()

    def _forked(self, place: Place, link: socket.socket | None) -> int:
        """The number of a new worker's process."""
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            _close_but({0, 1, 2, place.listener} | ({link.fileno()} if link is not None else set()))
            listener = socket.socket(fileno=place.listener)
            worker.serve(self._plan, place, listener, link, lambda: self._once_shut_in(place))
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
        """Takes note of every worker that has ended."""
        for post in self._posts:
            if post.pid is None:
                continue
            pid, status = os.waitpid(post.pid, os.WNOHANG)
            if pid:
                self._ended(post, os.waitstatus_to_exitcode(status))

    def _ended(self, post: Post, code: int) -> None:
        now = time.monotonic()
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


def _reached(endpoint: str) -> socket.socket | None:
    """A connection to the daemon's socket; None if the daemon is not there."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(endpoint)
    except OSError as error:
        link.close()
        if error.errno in {errno.ENOENT, errno.ECONNREFUSED, errno.EACCES, errno.ENOTDIR, errno.EAGAIN}:
            return None
        raise
    return link


def _close_but(kept: set[int]) -> None:
    """Closes every other descriptor."""
    edges = sorted(kept)
    for low, high in zip([-1, *edges], [*edges, os.sysconf("SC_OPEN_MAX")], strict=True):
        if low + 1 < high:  # where there is nothing between, closerange(0, 0) would close all (close_range(2) with -1)
            os.closerange(low + 1, high)


def main(words: Iterable[str]) -> int:
    (number,) = words
    return Keeper(received(int(number))).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
