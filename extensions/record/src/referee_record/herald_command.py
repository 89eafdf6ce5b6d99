"""`referee herald`: publishes the table's public stream to a club's broker."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from device.cli.common import TablePath, table_path, writing
from device.settings import load
from engine.errors import RefereeError
from referee_record.extension import why_unwanted

PANEL = "At the table"


class NoCertificate(RefereeError, ValueError):
    """The table has no certificate for a broker; the message says why."""


def command(
    table: TablePath = None,
    join: Annotated[
        str | None,
        typer.Option(
            help="Join a club instead, by the code or the file of its `referee club table`; as root. -: ask for it.",
            show_default=False,
        ),
    ] = None,
) -> None:
    r"""Tell the MQTT broker that the table file names (\[herald]) what the table says in public. Nothing comes back.

    It reads what `referee run` says on this machine, and waits for it and for the broker.
    """
    if join is not None:
        from referee_record import joining

        path = table_path(table)
        with writing(path):
            joining.check(path)
        code = typer.prompt("The club's code", err=True).strip() if join == "-" else join
        bundle = joining.fetch_bundle(code)
        with writing(path):
            joining.join(path, bundle)
        typer.echo(f"This table is {bundle.table} at {bundle.broker}, from the next start: systemctl restart referee")
        return
    import msgspec

    from device.bus.endpoints import socket_path
    from referee_record.daemon.public_socket import NAME
    from referee_record.herald.herald import PORT, Plan

    settings = load(table_path(table))
    if settings.herald is None:
        typer.echo(why_unwanted(settings))
        return
    herald = settings.herald
    host, _, port = herald.broker.partition(":")
    plan = Plan(
        str(socket_path(settings.runtime_dir / "public", NAME)),
        _name(herald.certificate),
        host,
        int(port or PORT),
        str(herald.certificate),
        str(herald.key),
        str(herald.authority),
        herald.delay_s,
    )
    sys.stdout.flush()
    words = ("-m", "referee_record.herald", msgspec.json.encode(plan).decode())
    os.execv(sys.executable, (sys.executable, *words))


def _name(certificate: Path) -> str:
    """Return the certificate's common name. Raises NoCertificate or BadFile."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    from referee_record.herald.topics import is_name
    from vision.files import read_bytes

    data = read_bytes(certificate, remedy="let the club make one for this table, and name it under [herald]")
    try:
        names = x509.load_pem_x509_certificate(data).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    except ValueError as error:
        raise NoCertificate(f"{certificate} is no certificate in PEM") from error
    name = str(names[0].value) if names else ""
    if not is_name(name):
        raise NoCertificate(f"{certificate} is of {name!r}: a table's name has letters, and none of / + #")
    return name
