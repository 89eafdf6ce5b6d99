"""`referee pages`: serves phones, a tablet and a television as seats and display of the table."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from device.cli.common import TablePath, table_path
from device.settings import load
from device.settings.table import Phone
from referee_phones.extension import why_unwanted

PANEL = "At the table"
NAMES = {
    "camera": "the phone that is the camera",
    "table": "the table",
    "owner": "the owner (`referee owner` tells the code)",
}
REMEDY = "choose another --host, or another port in the table file, under [pages]"


Host = Annotated[str, typer.Option(help="Address to serve the pages on; 0.0.0.0: all of this machine's.")]
State = Annotated[Path, typer.Option(help="Where the table's own certificate is kept, if the table file wants TLS.")]


def command(table: TablePath = None, host: Host = "0.0.0.0", state: State = Path("/var/lib/referee-pages")) -> None:
    r"""Serve the table file's pages (\[pages]): one for each seat's phone, one for everybody, one for the owner.

    They show what `referee run` says on this machine, and wait for it. Sockets that systemd opened replace host and
    port.
    """
    from device.web.audiences import AUDIENCES, CAMERA
    from device.web.serving import own_name
    from referee_phones.content import plan
    from referee_phones.plan import handed_over
    from referee_phones.tls import certificates, fingerprint

    settings = load(table_path(table))
    if why := why_unwanted(settings):
        typer.echo(why)
        return
    camera = (CAMERA,) if isinstance(settings.camera, Phone) else ()
    audiences = (*AUDIENCES, *camera)
    listeners = listening(host, settings.pages.port, len(audiences))
    encrypted = audiences if settings.pages.tls else camera
    proofs = certificates(state, (*settings.pages.hosts, own_name()), encrypted) if encrypted else {}
    made = plan(settings.pages, settings.language, settings.runtime_dir / "pages", listeners, proofs)
    _tell(host, listeners, audiences, {audience: fingerprint(proof) for audience, proof in proofs.items()})
    sys.stdout.flush()
    for each in listeners:
        each.set_inheritable(True)
    # The new process has read nothing for its workers to inherit.
    number = handed_over(made)
    os.execv(sys.executable, (sys.executable, "-P", "-m", "referee_phones.keeper", str(number)))


def listening(host: str, port: int, count: int, remedy: str = REMEDY) -> Sequence[socket.socket]:
    """Return systemd's sockets, closing extra ones, else newly opened ones, by audience. Raises PageError if a port
    cannot be opened or systemd opened too few. remedy: for a port that is taken."""
    from device.web.serving import PageError, listen, systemd_sockets

    given = systemd_sockets()
    if given and len(given) < count:
        raise PageError(f"systemd opened {len(given)} sockets, not {count}: see referee-pages.socket")
    for each in given[count:]:
        each.close()
    return given[:count] or [listen(host, port + place, remedy) for place in range(count)]


def _tell(
    host: str, listeners: Sequence[socket.socket], audiences: Sequence[str], fingerprints: Mapping[str, str]
) -> None:
    """Print each page's address, and its certificate's SHA-256 if encrypted."""
    from device.web.serving import url

    for audience, listener in zip(audiences, listeners, strict=True):
        address = url(host, listener.getsockname()[1])
        named = address.replace("http://", "https://", 1) if audience in fingerprints else address
        typer.echo(f"{NAMES.get(audience, f'seat {audience.upper()}')}: {named}")
        if audience in fingerprints:
            typer.echo(f"  SHA-256 of its certificate: {fingerprints[audience]}")
