"""Runs `referee replay`: replays a record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from device.cli import records
from device.cli.common import AsJson
from device.records.public_record import BOARD, public_facts
from engine.catalogue import AnyGame
from engine.notation import PlayedLine, Record

PANEL = "Records and figures"


class Failed(msgspec.Struct, frozen=True):
    """A refusal for JSON."""

    kind: str
    clauses: tuple[str, ...]
    text: str


class ReplayRow(msgspec.Struct, frozen=True):
    """The output of one line. n: from 1. view: public knowledge afterwards."""

    n: int
    line: str
    ok: bool
    view: dict[str, Any]
    error: Failed | None = None


def command(
    file: Annotated[Path, typer.Argument(help="A record (docs/developers/notation.md); - reads standard input.")],
    as_json: AsJson = False,
) -> None:
    """Play a record, and print after each line the public view or the refusal."""
    for record in records.read(file):
        for row in _public_rows(file, record) if record.sealed and record.public else _rows(file, record):
            typer.echo(msgspec.json.encode(row).decode() if as_json else _line_text(row))


def _rows(file: Path, record: Record) -> Iterator[ReplayRow]:
    game = records.game_of(file, record)
    for number, played in enumerate(records.play_lines(file, game, record), start=1):
        yield _row(game, number, played)


def _public_rows(file: Path, record: Record) -> Iterator[ReplayRow]:
    _, _, body = records.decode_about(file, record).public.partition("\n\n")
    for number, line in enumerate(filter(None, body.splitlines()), start=1):
        board = line.removeprefix(BOARD)
        view = msgspec.json.decode(board, type=dict[str, Any]) if board != line else {}
        yield ReplayRow(number, BOARD.strip() if view else line.removeprefix("; "), True, view)


def _row(game: AnyGame, number: int, played: PlayedLine) -> ReplayRow:
    error = played.error
    failed = Failed(error.kind, error.clauses, str(error.text)) if error else None
    facts = public_facts(game.view(played.match.state, None).facts, played.match.result)
    return ReplayRow(number, played.line.text, error is None, facts, failed)


def _line_text(row: ReplayRow) -> str:
    if row.error is not None:
        clauses = f" ({', '.join(row.error.clauses)})" if row.error.clauses else ""
        return f"{row.n}. {row.line}\n   {row.error.kind}{clauses}: {row.error.text}"
    facts = "  ".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in row.view.items())
    return f"{row.n}. {row.line}" + (f"\n   {facts}" if facts else "")
