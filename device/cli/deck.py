"""Runs `referee deck`: shows, checks and corrects a game's cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Column, Table

from device import games
from device.cli.common import AsJson, TablePath, leave_to_owner, table_path, table_settings
from device.resources import find
from engine import catalogue
from engine.deck import Copy, Deck, Number
from vision.files import decoding, read_toml, write_whole

PANEL = "Games"

app = typer.Typer(help="Cards as data: show them, check them, correct them against a real deck.", no_args_is_help=True)

GameName = Annotated[str, typer.Argument(help="The game whose cards are meant, such as fence.")]
DeckFile = Annotated[
    Path | None, typer.Option("--file", help="A deck file to use in place of the table's.", show_default=False)
]
YES, NO = "yes", "no"
SOURCE = "_source"


@app.command()
def show(game: GameName, file: DeckFile = None, table: TablePath = None, as_json: AsJson = False) -> None:
    """Print every card, with the source of each value."""
    cards = _read(game, file, table).data()
    if as_json:
        typer.echo(msgspec.json.encode(cards).decode())
        return
    names = [name for name in cards[0] if not name.endswith(SOURCE)]
    sheet = Table(*(Column(name, overflow="fold") for name in names))
    for card in cards:
        sheet.add_row(*(_cell(card, name) for name in names))
    Console(markup=False).print(sheet)


@app.command(name="check")
def check_deck(game: GameName, file: DeckFile = None, table: TablePath = None, as_json: AsJson = False) -> None:
    """Check how many cards each mode uses, and all that the rules force. Exit code 1 if something is wrong."""
    deck = _read(game, file, table)
    sizes, faults = deck.sizes(), deck.faults()
    if as_json:
        told = [{"clause": fault.clause, "where": fault.where, "problem": str(fault.problem)} for fault in faults]
        typer.echo(msgspec.json.encode({"cards": sizes, "faults": told}).decode())
    else:
        typer.echo(", ".join(f"{mode}: {count} cards" for mode, count in sizes.items()))
        _tell_faults(deck)
    raise typer.Exit(1 if faults else 0)


@app.command(context_settings={"ignore_unknown_options": True})
def edit(
    game: GameName,
    card: Annotated[str, typer.Argument(help="The copy's id, such as RF35.")],
    printed: Annotated[
        list[str] | None,
        typer.Argument(
            help="What is printed on it: --speed 5 for a number, --mark-T or --no-mark-T for a mark. "
            "Without it, what there is to correct is told.",
            show_default=False,
        ),
    ] = None,
    *,
    file: DeckFile = None,
    table: TablePath = None,
) -> None:
    """Correct one copy as its owner reads it, for the table whose file is found, or in the deck file that is named.

    Faults against the rules are told, but the owner is believed. At the table, a card before the camera is corrected
    with the buttons: under "More rules" when a match is set up.
    """
    deck = _read(game, file, table)
    copy = _copy(deck, card, game)
    for number, word in list(_given_numbers(deck.numbers(copy.id), printed or [])):
        deck = deck.correct(copy.id, number, word)
    path = _kept_file(game, file, table)
    if path is None:
        raise typer.BadParameter("whose cards? Name a table (--table), or a copy of the deck file (--file)")
    write_whole(path, deck.toml().encode())
    if file is None:
        leave_to_owner(table_settings(table).state_dir, "decks", f"decks/{path.name}")
    _tell_faults(deck)


def _cell(card: dict[str, Any], name: str) -> str:
    value, source = card[name], card.get(name + SOURCE)
    shown = "-" if value is None or value is False else YES if value is True else str(value)
    return f"{shown} ({source})" if source and value is not None else shown


def _tell_faults(deck: Deck) -> None:
    for fault in deck.faults():
        typer.echo(f"{fault.clause} {fault.where}: {fault.problem}")


def _copy(deck: Deck, card: str, game: str) -> Copy:
    for copy in deck.copies():
        if copy.id.lower() == card.lower():
            return copy
    raise typer.BadParameter(f"there is no card {card}: see `referee deck show {game}`", param_hint="CARD")


def _given_numbers(numbers: tuple[Number, ...], words: list[str]) -> Iterator[tuple[str, str]]:
    options = dict(_options(numbers))
    if not words:
        raise typer.BadParameter(f"say what is printed: {_offered_text(numbers)}")
    rest = iter([part for word in words for part in word.split("=", 1)])
    for option in rest:
        if option not in options:
            raise typer.BadParameter(f"{option} is not printed on this card: {_offered_text(numbers)}")
        number, word = options[option]
        value = next(rest, "") if word is None else word
        if value not in _words(number):
            raise typer.BadParameter(f"{option} is one of {', '.join(_words(number))}")
        yield number.name, value


def _options(numbers: tuple[Number, ...]) -> Iterator[tuple[str, tuple[Number, str | None]]]:
    for number in numbers:
        name = number.name.replace("_", "-")
        if _is_mark(number):
            yield f"--{name}", (number, YES)
            yield f"--no-{name}", (number, NO)
        else:
            yield f"--{name}", (number, None)


def _offered_text(numbers: tuple[Number, ...]) -> str:
    return ", ".join(option for option, _ in _options(numbers))


def _is_mark(number: Number) -> bool:
    return set(_words(number)) == {YES, NO}


def _words(number: Number) -> list[str]:
    return [choice.word for choice in number.choices]


def _shipped_file(game: str) -> str:
    specs = games.specs()
    if game not in specs or specs[game].deck is None:
        known = ", ".join(name for name, spec in specs.items() if spec.deck is not None)
        raise typer.BadParameter(
            f"{game!r} has no deck that can be edited; there is one for: {known}", param_hint="GAME"
        )
    return specs[game].data["deck"]


def _kept_file(game: str, file: Path | None, table: Path | None) -> Path | None:
    shipped = _shipped_file(game)
    if file is None and (table is not None or table_path(None).is_file()):
        return table_settings(table).state_dir / shipped
    return file


def _read(game: str, file: Path | None, table: Path | None) -> Deck:
    kept, shipped = _kept_file(game, file, table), find(_shipped_file(game))
    path = kept if kept is not None and (file is not None or kept.is_file()) else shipped
    data = read_toml(path, dict, remedy="name a deck file")
    with decoding(path, f"correct it there; {shipped} shows how"):
        deck = catalogue.deck(games.spec(game), {"deck": data})
    assert deck is not None, "a game with a deck file has a deck"
    return deck
