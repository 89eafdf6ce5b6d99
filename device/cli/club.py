"""`referee club`: the host of many tables: their broker, their certificates, what they said, and pages for the hall."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from device.cli.common import writing

if TYPE_CHECKING:
    from device.club.club import Settings

PANEL = "Many tables"
FOLDER = Path.home() / "referee-club"

Folder = Annotated[
    Path, typer.Option("--folder", help="Where all of the club lies; made at the first start.", show_default=True)
]
app = typer.Typer(invoke_without_command=True, help="Run a club's host: broker, archive and the hall's pages.")


@app.callback()
def command(
    context: typer.Context,
    folder: Folder = FOLDER,
    name: Annotated[
        str | None,
        typer.Option(
            help="By what tables find this host: a name or an address. Default: this machine's, with .local.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to serve the pages on; 127.0.0.1: for this machine.")] = "0.0.0.0",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the pages; 0 takes a free one.")] = 8141,
    broker_port: Annotated[int, typer.Option(min=1, max=65535, help="Port at which tables speak.")] = 8883,
) -> None:
    """Bring up a club: broker, certificates, archive and pages, until it is ended. It needs Mosquitto."""
    context.obj = folder
    if context.invoked_subcommand is None:
        from device.club.club import Settings
        from device.logs import log_to_stderr
        from device.web.serving import own_name

        log_to_stderr()
        asyncio.run(_run(folder, Settings(name or own_name(), broker_port, port, host)))


@app.command()
def table(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What the table is called in the hall.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write a file for a memory stick instead of a code. It is secret.", show_default=False),
    ] = None,
) -> None:
    """Add a table, or add it anew: make its certificate, and say how the table gets it. Its earlier one stays good."""
    import msgspec

    from device.club import club
    from vision.files import write_whole

    bundle = club.added(context.obj, name)
    if out is not None:
        with writing(out):
            write_whole(out, msgspec.json.encode(bundle), mode=0o600)
        typer.echo(f"At the table:  sudo referee herald --join {out.name}")
        typer.echo("The file holds the table's key: whoever has it can pass for this table. Delete it afterwards.")
        return
    import segno

    code = club.code(context.obj, bundle)
    segno.make(code, error="l", micro=False).terminal(compact=True)
    typer.echo(f"At the table:  sudo referee herald --join '{code}'")
    typer.echo(
        "It works once, within a day, while the club runs. It is secret: who has it first passes for this table."
    )


@app.command()
def export(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is written; made if it is not there.")],
) -> None:
    """Write all results as CSV, and each match as a record that `referee verify` takes. The club may run meanwhile."""
    from device.club import club, results
    from device.evidence.record import compressed
    from vision.files import write_whole

    archive = club.opened(context.obj)
    try:
        with writing(to):
            played = archive.played(limit=-1)
            write_whole(to / "results.csv", results.written(played))
            told = [each.match for each in played if each.links]
            for id in told:
                write_whole(to / f"{id}.signed.gz", compressed(archive.record(id)))
    finally:
        archive.close()
    typer.echo(f"{to}: results.csv with {len(played)} matches, {len(told)} records")


async def _run(folder: Path, chosen: Settings) -> None:
    """Until SIGTERM or SIGINT."""
    from device.club import club

    def ready(hall: str, organiser: str) -> None:
        typer.echo(f"the hall  {hall}\ntournaments, for the organiser alone  {organiser}")

    running = asyncio.ensure_future(club.run(folder, chosen, ready))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    with suppress(asyncio.CancelledError):
        await running
