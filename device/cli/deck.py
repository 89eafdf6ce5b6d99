"""`referee deck`: the cards of a game as data, their check, and corrections by the owner of a real deck."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from device.cli.common import AsJson, TablePath, table_path, table_settings
from device.files import write_whole
from device.resources import root
from engine.errors import RefereeError
from engine.fence.deck import TOTALS, Deck, cards_of, check, edited, read_deck
from engine.fence.deck_file import toml_of
from engine.fence.rules import TRACK

PANEL = "Games"

app = typer.Typer(help="Cards as data: show them, check them, correct them against a real deck.", no_args_is_help=True)

GameName = Annotated[str, typer.Argument(help="The game whose cards are meant: fence.")]
DeckFile = Annotated[
    Path | None, typer.Option("--file", help="This deck file, whatever the table's is.", show_default=False)
]


class DeckError(RefereeError, ValueError):
    """A deck file cannot be read or written as asked: the message names the file and the key."""


@app.command()
def show(game: GameName, file: DeckFile = None, table: TablePath = None, as_json: AsJson = False) -> None:
    """Print every card, with the source of each value."""
    deck = _read(game, file, table)
    if as_json:
        typer.echo(msgspec.json.encode(deck.cards).decode())
        return
    sheet = Table("id", "kind", "speed", "SP", "T", "B", "from")
    for card in deck.cards:
        speed = "-" if card.speed is None else f"v{card.speed} ({card.speed_source})"
        marks = (
            f"{'T' if card.mark_t else '-'} ({card.mark_t_source})",
            f"{'B' if card.mark_b else '-'} ({card.mark_b_source})",
        )
        sheet.add_row(card.id, card.kind, speed, f"{card.sp} ({card.sp_source})", *marks, _note(card.mandatory))
    Console().print(sheet)


@app.command(name="check")
def check_deck(game: GameName, file: DeckFile = None, table: TablePath = None, as_json: AsJson = False) -> None:
    """Check the totals of the modes and all that the rules force (F1, F62). Exit code 1 if something is wrong."""
    deck = _read(game, file, table)
    faults = check(deck)
    counts = {mode: len(cards_of(deck, mode)) for mode in TOTALS}
    if as_json:
        told = [{"clause": fault.clause, "where": fault.where, "problem": str(fault.problem)} for fault in faults]
        typer.echo(msgspec.json.encode({"cards": counts, "faults": told}).decode())
    else:
        typer.echo(", ".join(f"{mode}: {count} cards" for mode, count in counts.items()))
        for fault in faults:
            typer.echo(f"{fault.clause} {fault.where}: {fault.problem}")
    raise typer.Exit(1 if faults else 0)


@app.command()
def edit(
    game: GameName,
    card: Annotated[str, typer.Argument(help="The copy's id, such as RF35.")],
    *,
    speed: Annotated[int | None, typer.Option(min=1, max=9, help="The printed speed.", show_default=False)] = None,
    sp: Annotated[
        int | None, typer.Option(min=0, max=TRACK, help="The printed stamina points.", show_default=False)
    ] = None,
    mark_t: Annotated[
        bool | None, typer.Option("--mark-T/--no-mark-T", help="The mark T of the tutorial.", show_default=False)
    ] = None,
    mark_b: Annotated[
        bool | None, typer.Option("--mark-B/--no-mark-B", help="The mark B of the basic mode.", show_default=False)
    ] = None,
    file: DeckFile = None,
    table: TablePath = None,
) -> None:
    """Correct one copy as its owner reads it, for the table whose file is found, or else in config/decks.

    What the rules then exclude is told, but the owner is believed. At the table the same is done with a card before the
    camera and the buttons: under "More rules" when a match is set up.
    """
    given: Mapping[str, int | bool | None] = {"speed": speed, "sp": sp, "mark_T": mark_t, "mark_B": mark_b}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise typer.BadParameter("say what is printed: --speed, --sp, --mark-T, --mark-B")
    try:
        after = edited(_read(game, file, table), card.upper(), changes)
    except KeyError as error:
        problem = f"there is no card {card}: see `referee deck show {game}`"
        raise typer.BadParameter(problem, param_hint="CARD") from error
    write_whole(_kept(game, file, table), toml_of(after).encode())
    for fault in check(after):
        typer.echo(f"{fault.clause} {fault.where}: {fault.problem}")


def _note(mandatory: bool) -> str:
    return "yellow" if mandatory else ""


def _kept(game: str, file: Path | None, table: Path | None) -> Path:
    """Where the cards are, or will be, that an owner corrected."""
    if game != "fence":
        raise typer.BadParameter(f"{game!r} has no deck that can be edited; there is one for: fence", param_hint="GAME")
    shipped = Path("decks", f"{game}.toml")
    if file is None and (table is not None or table_path(None).is_file()):
        return table_settings(table).state_dir / shipped
    return file or root() / shipped


def _read(game: str, file: Path | None, table: Path | None) -> Deck:
    path = _kept(game, file, table)
    if file is None and not path.is_file():
        path = root() / "decks" / f"{game}.toml"  # nothing was corrected at this table yet
    try:
        return read_deck(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DeckError(f"{path} cannot be read ({error.strerror or error}): name a deck file") from error
    except KeyError as error:
        raise DeckError(
            f"{path} is no deck: {error} is missing; {root() / 'decks' / f'{game}.toml'} shows how"
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DeckError(f"{path} is no deck: {error}; correct it there") from error
