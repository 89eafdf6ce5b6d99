"""`referee key`: prints the table's public key, as digits and as a QR code."""

from __future__ import annotations

from typing import Annotated

import typer

from device.cli.common import TablePath, table_settings

PANEL = "Records and figures"


def command(
    table: TablePath = None,
    qr: Annotated[bool, typer.Option("--qr", help="As a QR code, too.")] = False,
) -> None:
    """Print the table's public key, which its signed records name; make one if there is none."""
    from referee_record.public_key import in_groups, qr_text
    from referee_record.table_key import make_key

    public = make_key(table_settings(table).state_dir).public
    typer.echo(in_groups(public))
    if qr:
        import segno

        segno.make(qr_text(public), error="m", micro=False).terminal(compact=True)
