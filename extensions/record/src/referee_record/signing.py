"""Signs matches for the core: while they are played (`device.daemon.hooks`), and stored ones."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from device.clock import wall_time
from device.daemon.core import Core
from device.daemon.hooks import SigningSetup
from device.journal.match_info import About, Secret
from device.session.table import KnownGame
from device.version import version
from engine.entry import Entry
from engine.errors import RefereeError
from engine.text import Text
from referee_record.daemon.glances import Glances
from referee_record.daemon.listener import Signing, prepare
from referee_record.daemon.public_socket import Public
from referee_record.public_entries import FORMAT, SALT

if TYPE_CHECKING:
    from referee_record.table_key import TableKey

_log = logging.getLogger(__name__)


class TableSigning:
    """Signs a table's matches with the key in its state folder. public: publishes them."""

    def __init__(self, folder: Path, public: Public) -> None:
        self._folder, self._public = folder, public
        self.listener = Signing(self.key, public)

    def key(self) -> TableKey:
        """Return the table's key, creating a missing one. Raises NoKey, BadFile."""
        return self._key

    @cached_property
    def _key(self) -> TableKey:
        from referee_record.table_key import make_key  # imports OpenSSL, slow on a small computer

        return make_key(self._folder)

    def secret(self) -> Secret:
        return Secret(secrets.token_hex(SALT), version(), format=FORMAT)

    def shown_key(self) -> tuple[str, str]:
        from referee_record.public_key import in_groups, qr_text

        public = self.key().public
        return in_groups(public), qr_text(public)

    def prepare(self, games: Iterable[KnownGame]) -> None:
        prepare(self.key, games)

    def connect(self, core: Core, wrong: Callable[[], tuple[Text, ...]]) -> None:
        glances = Glances(core, wall_time, wrong)
        self._public.look(glances.look, glances.last_frame)

    async def run(self) -> None:
        await self._public.run()

    async def close(self) -> None:
        await self._public.close()


async def open_signing(setup: SigningSetup) -> TableSigning:
    """Return a table's signing; if its socket can't be opened, which is logged, nobody hears it."""
    herald = setup.settings.herald
    public = Public(setup.folder / "public", setup.clock, herald.group if herald is not None else "")
    try:
        await public.listen()
    except RefereeError as error:
        _log.error("%s", error)
    return TableSigning(setup.settings.state_dir, public)


def sign_match(known: KnownGame, entries: Sequence[Entry], about: About, folder: Path, *, reveal: bool) -> bytes:
    """Return a match's signed record as a file's bytes. folder: of the table's key, as players wouldn't know a new one.
    Raises NoKey, NoFile without one, and as `referee_record.signed_record.export`."""
    from referee_record.signed_record import encode_record, export
    from referee_record.table_key import read

    return encode_record(export(known, entries, about, read(folder), version(), reveal=reveal))
