"""How somebody at a table without buttons agrees to what its owner asked for: by the plug, pulled twice within minutes.

Pulled once it might be the end of an evening, which somebody who has read the owner's key along in the Wi-Fi could wait
for; how long a board without a clock was off, it cannot tell. Twice, each time within `LASTS_S` of running time, comes
of nobody's chance. An end or a restart in order is no pull: it forgets the wish, and so does a power-on that comes too
late for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

from device.steward.verbs import Verb
from vision.files import BadFile, NoFile, read_json, read_text, sync, write_whole

WISH = "wish.json"
"""Of the state folder."""

PULLS = 2
LASTS_S = 300.0
"""So long a wish waits for the next pull, while the table runs."""

BOOT = Path("/proc/sys/kernel/random/boot_id")
_log = logging.getLogger(__name__)


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """verb: what the steward is to do. boot: the machine's start in which it was noted. pulls: so often the power went
    since it was wished."""

    verb: Verb
    boot: str
    pulls: int = 0


def boot_of(path: Path = BOOT) -> str:
    """What tells this start of the machine from every other (random(4)); "" where it is not told."""
    try:
        return read_text(path).strip()
    except BadFile:
        return ""


class Plug:
    """The plug of a table, for one run of the daemon. state: its folder. boot: see `boot_of`. now: seconds."""

    def __init__(self, state: Path, boot: str, now: Callable[[], float]) -> None:
        self._path, self._boot, self._now = state / WISH, boot, now
        self._pending: Wish | None = None
        self._until = 0.0
        self.agreed: Verb | None = None
        """What was agreed to before this run, until the owner has read so."""

    @property
    def pending(self) -> Wish | None:
        """What waits for the next pull."""
        self.look()
        return self._pending

    @property
    def until(self) -> float | None:
        """When it is forgotten; None if nothing is pending."""
        return self._until if self._pending is not None else None

    def begin(self) -> Verb | None:
        """The daemon starts: what is agreed to by now. It is no longer on disk then, so that it is done once."""
        self.agreed = self._begun()
        return self.agreed

    def _begun(self) -> Verb | None:
        try:
            kept = read_json(self._path, Wish)
        except NoFile:
            return None
        except BadFile as error:
            _log.warning("what the owner wished is forgotten: %s", error)
            self.forget()
            return None
        if kept.boot in ("", self._boot):
            self.forget()
            return None
        pulls = kept.pulls + 1
        try:
            if pulls < PULLS:
                self._keep(Wish(kept.verb, self._boot, pulls))
                return None
            self._path.unlink()
            sync(self._path.parent)
        except OSError as error:
            _log.error("what the owner wished is not done: %s", error)
            self.forget()
            return None
        return kept.verb

    def wish(self, verb: Verb) -> None:
        """The owner wishes it: it waits for the first pull. Raises OSError."""
        self._keep(Wish(verb, self._boot))

    def forget(self) -> None:
        """Nothing is wished any more."""
        self._pending = None
        try:
            self._path.unlink(missing_ok=True)
            sync(self._path.parent)
        except OSError as error:
            _log.error("a wish cannot be taken off the disk: %s", error)

    def look(self) -> None:
        """Forgets what waited too long."""
        if self._pending is not None and self._now() >= self._until:
            self.forget()

    def _keep(self, wish: Wish) -> None:
        write_whole(self._path, msgspec.json.encode(wish), 0o600)
        self._pending, self._until = wish, self._now() + LASTS_S
