"""Runs `referee owner`: shows and changes the table's ownership, saves and restores its data."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli.common import TablePath, as_owner_of, leave_to_owner, table_path, table_settings, writing
from device.owner.claim import BITS, SHORTEST, code_of, forget_owner, group_code, open_codes, plain
from device.owner.claim_files import CODE, OWNER, OwnerFiles
from device.settings import owner_command
from vision.files import BadFile, Fault, write_whole

PANEL = "At the table"
app = typer.Typer(invoke_without_command=True, help="Show who owns the table, and the code that claims it (root).")


@app.callback()
def command(context: typer.Context, table: TablePath = None) -> None:
    """Say whether somebody owns the table, and with which code it can be claimed."""
    context.obj = table
    if context.invoked_subcommand is None:
        _tell(table)


@app.command()
def code(
    context: typer.Context,
    own: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help=f"At least {SHORTEST} letters and digits; without it one is drawn."),
    ] = None,
) -> None:
    """Set the code with which a table that nobody owns is claimed."""
    if own is not None and not plain(own):
        raise typer.BadParameter(f"a code has at least {SHORTEST} letters and digits", param_hint="CODE")
    settings = table_settings(context.obj)
    claim_files = OwnerFiles(settings.state_dir)
    claim_files.set_code(own or code_of(secrets.randbits(BITS)))
    leave_to_owner(settings.state_dir, CODE)
    _tell(context.obj)


@app.command()
def forget(context: typer.Context) -> None:
    """Make the table nobody's: its owner's browser opens the page no longer, and a new code claims it."""
    settings = table_settings(context.obj)
    claim_files = OwnerFiles(settings.state_dir)
    claim_files.keep(forget_owner(claim_files.claim()))
    claim_files.set_code(code_of(secrets.randbits(BITS)))
    leave_to_owner(settings.state_dir, OWNER, CODE)
    _tell(context.obj)


@app.command()
def save(
    context: typer.Context, file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("table-referee.zip")
) -> None:
    """Write enrolled pieces and corrected cards into one file."""
    from device.owner.backup import save, sift

    state = table_settings(context.obj).state_dir
    found = sift(state)
    for each in found.left:
        typer.echo(f"Left out: {each.fault}", err=True)
    data = save(state, found.out)
    if data is None and found.out:
        raise BadFile(state, Fault("", "holds nothing that can be used", "enrol the pieces again"))
    if data is None:
        typer.echo("No pieces are enrolled, and no cards corrected.")
        return
    with writing(file):
        write_whole(file, data, 0o600)
    typer.echo(f"{file}: {len(data):,} bytes")


@app.command()
def restore(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="The file that `save` wrote.", show_default=False)] = None,
    back: Annotated[bool, typer.Option("--undo", help="Bring back what the last `restore` replaced.")] = False,
) -> None:
    """Put the pieces and cards of a saved file back; others stay, and replaced ones are kept."""
    from device.owner.backup import BEFORE, BEGUN, archive_of, put_back, undo, undoable

    if (file is None) != back:
        raise typer.BadParameter("name the file that is put back, or say --undo")
    state = table_settings(context.obj).state_dir
    archive = None if file is None else archive_of(file)
    leave_to_owner(state, BEFORE, BEGUN)  # an earlier version left these to root
    with writing(state), as_owner_of(state):
        written = undo(state) if archive is None else put_back(state, archive, file or "", _tell_left_out)
    done = "as they were before" if back else "put back"
    command = owner_command(table_path(context.obj), "restore --undo")
    undone = f"; `{command}` brings back what was replaced" if undoable(state) and not back else ""
    typer.echo(f"{len(written)} files are {done}{undone}. A referee that runs reads them at its next start.")


@app.command("sift", hidden=True)
def sift_for_page(state: Annotated[Path, typer.Argument(help="The folder that would be saved.")]) -> None:
    """Say as JSON what of it cannot be used."""
    from device.owner.backup import sift

    typer.echo(msgspec.json.encode(sift(state)).decode())


def _tell(table: Path | None) -> None:
    from device.web.audiences import OWNER as OWNERS
    from device.web.audiences import port_of
    from device.web.serving import page_address

    settings, command = table_settings(table), partial(owner_command, table_path(table))
    claim_files, pages = OwnerFiles(settings.state_dir), settings.pages
    page = page_address(pages.hosts, port_of(OWNERS, pages.port), tls=pages.tls)
    if not pages.on:
        typer.echo("The table file wants no pages: it would say so under [pages], with on = true.")
    codes = open_codes(claim_files.claim(), claim_files.codes())
    if claim_files.claim().owner:
        typer.echo(f"The table has an owner, who opens {page}. `{command('forget')}` makes it nobody's.")
    if codes:
        typer.echo(f"Claim it at {page} with the code {group_code(codes)}")
    elif not claim_files.claim().owner:
        typer.echo(f"Nobody owns the table, and no code is set: `{command('code')}` sets one.")


def _tell_left_out(fault: BadFile) -> None:
    typer.echo(f"Left out: {fault}", err=True)
