"""Starts a command; turns errors into a line and exit code."""

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
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

STOPPED = 130
"""Exit code after Ctrl-C, as in shells."""


QUIET = {"OPENCV_LOG_LEVEL": "SILENT", "OPENCV_FFMPEG_LOGLEVEL": "-8"}
"""Silence OpenCV (4.10 and later); commands report errors themselves."""


def start(words: list[str]) -> None:
    """Run the command line, without the program's name; errors exit with 2."""
    if words[:1] != ["run"]:  # the service logs the driver's messages
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for a terminal that isn't UTF-8
    with _leaving_at_once():
        from device.cli.linux import explain_missing_modules
        from engine.errors import RefereeError
    try:
        with explain_missing_modules(" ".join(words[:1])):
            with _leaving_at_once():
                app = _ask(words)
            _run(app, words)
    except RefereeError as error:
        _fail(words, str(error))
    except BrokenPipeError:
        _end_unread()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(words, f"{where}{error.strerror or error}")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Typer and Rich make it exit code 1
            _end_unread()
        if ended.code == STOPPED:
            sys.stderr.write("referee: stopped; what was not finished is not kept\n")
        raise


def _run(app: Callable[..., object], words: list[str]) -> None:
    if "--json" not in words:
        app()
        return
    from device.cli.tree import UsageError

    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        _fail(words, error.format_message())
    sys.exit(code if isinstance(code, int) else 0)


def _end_unread() -> NoReturn:
    """Exit as if all went well: whoever read standard output has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still to be written
    sys.exit(0)


def _fail(words: list[str], why: str) -> NoReturn:
    if "--json" in words:
        from device.cli.common import told_by_code

        with told_by_code():
            sys.stdout.write(f"{json.dumps({'error': why}, ensure_ascii=False)}\n")
    else:
        sys.stderr.write(f"referee: {why}\n")
    sys.exit(2)


def _ask(words: list[str]) -> Callable[[], None]:
    """Import only the requested command, as all take seconds on a small computer; return what runs it."""
    if words[:2] == ["run", "--table"] and len(words) == 3:  # the service's, without options to parse
        from device.cli.linux import require_linux
        from device.displays.switch_off import fork_switch_off

        require_linux("run")
        lit = fork_switch_off()  # while memory is small
        gc.disable()  # until it is ready: nearly all objects stay
        from device.daemon.systemd_notify import come_to

        come_to("reading the program in")
        import_module("device.displays.oled")  # a third of it
        come_to("reading the rest of the program in")
        from device.daemon.service import run

        return partial(run, words[2], lit=lit)
    if words[1:2] == ["--table"] and len(words) == 3:  # a unit's, for an extension's command
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
    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(STOPPED)

    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # else the parent wants it ignored
        signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, usual)
