"""`referee replay`: plays a record in notation line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from device.cli import records
from device.cli.common import AsJson
from engine.catalogue import AnyGame
from engine.notation import Played
from engine.view import Outcome

PANEL = "Records and figures"


class Failed(msgspec.Struct, frozen=True):
    """A refusal, as JSON prints it."""

    kind: str
    clauses: tuple[str, ...]
    text: str


class Row(msgspec.Struct, frozen=True):
    """What is printed for one line. n: counted from 1. view: what everybody at the table may know afterwards."""

    n: int
    line: str
    ok: bool
    view: dict[str, Any]
    error: Failed | None = None


def command(
    file: Annotated[Path, typer.Argument(help="A record (docs/notation.md); - reads standard input.")],
    as_json: AsJson = False,
) -> None:
    """Play a record, and print after each line the public view or the refusal."""
    game, record = records.read(file)
    for number, played in enumerate(records.played(file, game, record), start=1):
        row = _row(game, number, played)
        typer.echo(msgspec.json.encode(row).decode() if as_json else _told(row))


def _row(game: AnyGame, number: int, played: Played) -> Row:
    error = played.error
    failed = Failed(error.kind, error.clauses, str(error.text)) if error else None
    view = game.view(played.match.state, None)
    facts = {**view.facts, "outcome": _outcome(played.match.result)}
    return Row(number, played.line.text, error is None, facts, failed)


def _outcome(result: Outcome | None) -> dict[str, Any] | None:
    """Who won, and why; None while the match goes on."""
    return None if result is None else {"winners": sorted(result.winners), "text": str(result.text)}


def _told(row: Row) -> str:
    if row.error is not None:
        clauses = f" ({', '.join(row.error.clauses)})" if row.error.clauses else ""
        return f"{row.n}. {row.line}\n   {row.error.kind}{clauses}: {row.error.text}"
    facts = "  ".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in row.view.items())
    return f"{row.n}. {row.line}\n   {facts}"
