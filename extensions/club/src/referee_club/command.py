"""Runs `referee club`: many tables' broker, certificates, archive and pages."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from device.cli.common import known_language, writing

PANEL = "Many tables"
FOLDER = Path("~/referee-club")
OFF = "off"

Folder = Annotated[Path, typer.Option("--folder", help="The club's folder; created at the first start.")]
app = typer.Typer(invoke_without_command=True, help="Run a club's host: broker, archive and the hall's pages.")


@app.callback()
def command(
    context: typer.Context,
    folder: Folder = FOLDER,
    name: Annotated[
        str | None,
        typer.Option(help="Name or address at which tables find this host. Default: its own name, with .local."),
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to serve the pages on. Default: 0.0.0.0; 127.0.0.1: for this machine.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port of the pages. Default: 8141.")] = None,
    broker_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port for the tables. Default: 8883.")
    ] = None,
    home_assistant: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help="Tell Home Assistant of all tables. Names of entities are in that language, and so is what a table "
            "says where it is a whole message; the rest is in English. off: stop telling it. Default: off.",
        ),
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(min=0, metavar="DAYS", help="How long a match is kept. Default: 0, for ever."),
    ] = None,
) -> None:
    """Run a club until it is ended: broker, certificates, archive and pages. It needs Mosquitto. Options are kept
    for the next start."""
    context.obj = folder.expanduser()
    if context.invoked_subcommand is None:
        from device.logs import log_to_stderr

        log_to_stderr()
        home = home_assistant and ("" if home_assistant == OFF else known_language(home_assistant))
        given = {"name": name, "host": host, "pages": port, "broker": broker_port, "home": home, "keep_days": keep_days}
        asyncio.run(_run(context.obj, given))


@app.command()
def table(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The table's name in the hall.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write a file for a memory stick instead of a code. It is secret.", show_default=False),
    ] = None,
) -> None:
    """Add a table, or add it again: make its certificate, and say how the table gets it. An earlier one stays valid."""
    import msgspec

    from referee_club import club
    from vision.files import write_whole

    bundle = club.add_table(context.obj, name)
    if out is not None:
        with writing(out):
            write_whole(out, msgspec.json.encode(bundle), mode=0o600)
        typer.echo(f"At the table:  sudo referee herald --join {out.name}")
        typer.echo("The file holds the table's key: whoever has it can pass for this table. Delete it afterwards.")
        return
    import segno

    code = club.code(context.obj, bundle)
    segno.make(code, error="l", micro=False).terminal(compact=True)
    typer.echo(f"At the table:  sudo referee herald --join -\nand there this code:\n{code}")
    typer.echo(
        "It works once, within a day, while the club runs. It is secret: who has it first passes for this table."
    )


@app.command()
def remove(context: typer.Context, name: Annotated[str, typer.Argument(help="The table's name in the hall.")]) -> None:
    """Remove a table: its certificates are refused, and the hall and Home Assistant forget it. Its matches stay. The
    club may keep running; its broker restarts. Adding the table again admits it by a new certificate."""
    from referee_club.club import remove_table

    if remove_table(context.obj, name):
        typer.echo(f"{name} is let in no more. Its matches stay.")
    else:
        typer.echo(f"Nothing that {name} says is kept any more. Its matches stay.")
        typer.echo(
            "An earlier version made a certificate of it, which the broker lets in until that ends: "
            "add this table under another name."
        )


@app.command()
def forget(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The player's name. Capital letters do not matter.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Forget a player: the name goes from matches, league, tournaments, pages and Home Assistant for good. The
    matches stay under the seat; their signed records hold no name and stay valid. The club may keep running."""
    from referee_club.club import open_club
    from referee_club.forgetting import forget as forgotten

    if not yes:
        typer.confirm(f"Forget everybody called {name}? It cannot be undone", abort=True)
    archive = open_club(context.obj)
    try:
        found = forgotten(archive, name)
    finally:
        archive.close()
    typer.echo(f"{name} was in {found.matches} matches and {found.tournaments} tournaments, and is forgotten.")
    if not found.wiped:
        typer.echo("The club is reading its files right now: it overwrites the name itself within some seconds.")
    typer.echo(
        "Files that were written before keep the name: export again, and delete earlier exports and copies. "
        "A table that still has the name says it with its next match: `referee forget` there."
    )


@app.command()
def organiser(context: typer.Context) -> None:
    """Print the organiser's secret address for tournaments: whoever has it sets results."""
    from referee_club.club import organiser as address

    typer.echo(address(context.obj))


@app.command("home-assistant")
def home_assistant(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write to; created if missing.")],
) -> None:
    """Write the three files by which Home Assistant connects to the broker. Its key is secret."""
    from referee_club.club import for_home_assistant
    from vision.files import write_whole

    chosen, files, until = for_home_assistant(context.obj)
    with writing(to):
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, data in files.items():
            write_whole(to / name, data, mode=0o600)
    typer.echo(
        f"In Home Assistant, MQTT:  broker {chosen.name}, port {chosen.broker}\nand the files:  {', '.join(files)}\n"
        f"They are good until {until:%Y-%m-%d}: write them again before that."
    )


@app.command()
def export(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write to; created if missing.")],
) -> None:
    """Write all results as CSV, and each match as a record for `referee verify`. The club may keep running.
    Unreadable matches are named and left out; the exit code is then 1."""
    from referee_club import results
    from referee_club.archive import Spoiled
    from referee_club.club import open_club
    from referee_record.signed_record import compress
    from vision.files import write_all, write_whole

    archive, lost = open_club(context.obj), list[Spoiled]()

    def records(matches: list[str]) -> Iterator[tuple[Path, bytes]]:
        for id in matches:
            try:
                yield to / f"{id}.signed.gz", compress(archive.record(id))
            except Spoiled as error:
                lost.append(error)

    try:
        with writing(to):
            played = archive.list_matches(limit=-1)
            write_whole(to / "results.csv", results.write_results(played))
            told = [each.match for each in played if each.links]
            write_all(records(told))
    finally:
        archive.close()
    typer.echo(f"{to}: results.csv with {len(played)} matches, {len(told) - len(lost)} records")
    for each in lost:
        typer.echo(each, err=True)
    if lost:
        raise typer.Exit(1)


async def _run(folder: Path, given: dict[str, str | int | None]) -> None:
    from referee_club import club

    chosen = club.change_settings(folder, {name: value for name, value in given.items() if value is not None})

    def ready(hall: str, organiser: str) -> None:
        # The organiser's address is secret, and others may read what is no terminal, such as a log.
        shown = organiser if sys.stdout.isatty() else f"referee club --folder {folder} organiser"
        typer.echo(f"the hall  {hall}\ntournaments, for the organiser alone  {shown}")

    running = asyncio.ensure_future(club.run(folder, chosen, ready))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    with suppress(asyncio.CancelledError):
        await running
