"""Starts what a command line asks for, and turns what goes wrong into a line and an exit code."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import FrameType
from typing import NoReturn

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""


QUIET = {"OPENCV_LOG_LEVEL": "SILENT", "OPENCV_FFMPEG_LOGLEVEL": "-8"}
"""What OpenCV 4.10 and later read before they write to standard error. Commands say themselves what cannot be read."""


def start(words: list[str]) -> None:
    """Runs the command line; what goes wrong ends the program. words: after the program's name."""
    if words[:1] != ["run"]:  # a service's log keeps whatever the driver has to say
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
    with _leaving_at_once():
        from engine.errors import RefereeError
    try:
        with _leaving_at_once():
            app = _ask(words)
        _run(app, words)
    except RefereeError as error:
        _fail(words, str(error))
    except BrokenPipeError:
        sys.exit(0)  # whoever read the output has seen enough
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(words, f"{where}{error.strerror or error}")
    except SystemExit as ended:
        if ended.code == STOPPED:
            sys.stderr.write("referee: stopped; what was not finished is not kept\n")
        raise


def _run(app: Callable[..., object], words: list[str]) -> None:
    """Runs what was asked for. Where JSON is asked for, Typer may not print by itself how a command is used wrongly."""
    if "--json" not in words:
        app()
        return
    from device.cli.tree import UsageError

    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        _fail(words, error.format_message())
    sys.exit(code if isinstance(code, int) else 0)


def _fail(words: list[str], why: str) -> NoReturn:
    """Ends the program, and says why: as JSON on standard output where the command line asks for that."""
    if "--json" in words:
        sys.stdout.write(f"{json.dumps({'error': why}, ensure_ascii=False)}\n")
    else:
        sys.stderr.write(f"referee: {why}\n")
    sys.exit(2)


def _ask(words: list[str]) -> Callable[[], None]:
    """Return the function that the command line asks for, with as few imports as possible: all of them take a small
    computer seconds."""
    if words[:2] == ["run", "--table"] and len(words) == 3:  # as the service starts it: no need to read options
        from device.displays.switch_off import attend

        lit = attend()  # before there is much to share
        gc.disable()  # until it is ready: nearly all that it makes by then stays
        from device.daemon.systemd_notify import come_to

        come_to("reading the program in")
        import_module("device.displays.oled")  # a third of it
        come_to("reading the rest of the program in")
        from device.daemon.service import run

        return partial(run, words[2], lit=lit)
    if words[1:2] == ["--table"] and len(words) == 3:  # as units start the commands of extensions
        from device.extensions import service

        if (unwanted := service(words[0])) is not None:
            from pathlib import Path

            from device.settings import load

            if why := unwanted(load(Path(words[2]))):
                return partial(print, why)
    from device.cli.tree import tree

    return tree(next(iter(words), None))


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """Leave at once on Ctrl-C while the program is being imported: there is nothing to end yet."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(STOPPED)

    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # not if whoever started us wants it ignored
        signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, usual)
