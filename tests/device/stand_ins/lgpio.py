"""lgpio without its chip: it obeys where it makes its pipe, where it goes, and what it raises (lgUtil.c, lgpio.py).

The real one reads $LG_WD by getenv, goes there, makes the pipe there, and opens it by a relative name, all on import.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 128, 32, 64
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3


class error(Exception):  # noqa: N801
    """Its own, which is no OSError."""


def _begun() -> int:
    os.chdir(os.environ.get("LG_WD") or Path.cwd())
    try:
        os.mkfifo(".lgd-nfy0", 0o664)
    except OSError:
        raise FileNotFoundError(2, "No such file or directory", ".lgd-nfy-3") from None
    return os.open(".lgd-nfy0", os.O_RDWR | os.O_NONBLOCK)


pipe = _begun()
busy: set[int] = set()
claimed: dict[int, int] = {}
forbidden = threading.Event()
"""Set: this user may not use the chip."""


def gpiochip_open(chip: int) -> int:
    if forbidden.is_set():
        raise error("can not open gpiochip")
    return chip


def gpiochip_close(handle: int) -> None: ...


def gpio_claim_input(handle: int, gpio: int, flags: int = 0) -> int:
    if gpio in busy:
        raise error("GPIO busy")
    claimed[gpio] = flags
    return 0


def gpio_claim_output(handle: int, gpio: int, level: int = 0, flags: int = 0) -> int:
    return gpio_claim_input(handle, gpio, flags)


def gpio_claim_alert(handle: int, gpio: int, edges: int, flags: int = 0) -> int:
    return gpio_claim_input(handle, gpio, flags)


def gpio_free(handle: int, gpio: int) -> int:
    claimed.pop(gpio, None)
    return 0


def gpio_get_mode(handle: int, gpio: int) -> int:
    return claimed.get(gpio, 0)


def gpio_read(handle: int, gpio: int) -> int:
    return int(claimed[gpio] == SET_PULL_UP)


class callback:  # noqa: N801
    def __init__(self, handle: int, gpio: int, edge: int, func: Callable[..., None]) -> None: ...

    def cancel(self) -> None: ...
