"""Runs `referee planetx`: lists boards, draws games and checks them."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from device import locale
from engine.errors import Refusal
from engine.planetx.draw import CODES, Drawn, code_of, draw_game, report
from engine.planetx.facts import TOPICS, sentence, title
from engine.planetx.inspection import boards_data, check, game_data, read_games
from engine.planetx.sky import MODES, SkyMode
from engine.text import Text
from vision.files import read_text

app = typer.Typer(help="Planet X: list all boards, draw a game from its code, check games.", no_args_is_help=True)

LANGUAGES = tuple(code.replace("_", "-") for code in locale.LANGUAGES)

LONGEST_GAMES = 64_000_000
"""Bytes, twice a thousand games as printed by `new --reveal --json`."""

ModeName = Annotated[str, typer.Option("--mode", help="The sky: standard or expert.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def boards(
    mode: ModeName = "standard",
    listed: Annotated[bool, typer.Option("--list", help="Print every board, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count all legal boards, and where Planet X is on them (X8)."""
    _print(boards_data(_mode(mode), listed), as_json)


@app.command()
def new(
    mode: ModeName = "standard",
    code: Annotated[str | None, typer.Option(help="The game's code. Default: a new one.")] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="Print the hidden board and every fact, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw a game from its code: the same on every machine (X12)."""
    try:
        game = draw_game(_mode(mode), code or code_of(secrets.randbelow(CODES)))
    except Refusal as refusal:
        raise typer.BadParameter(str(refusal), param_hint="--code") from refusal
    shown = game_data(game, translations)
    if reveal and not as_json:
        _tell(game)
    else:
        _print(shown if reveal else {"mode": shown["mode"], "code": shown["code"]}, as_json)


@app.command(name="check")
def check_file(file: Path, as_json: AsJson = False) -> None:
    """Check games in JSON, one or an array: which boards are illegal and why, which facts are false."""
    try:
        text = read_text(file, limit=LONGEST_GAMES, remedy="name a file with games in JSON")
        found = check(read_games(text.encode()))
    except Refusal as refusal:
        raise typer.BadParameter(f"{file}: {refusal}", param_hint="FILE") from refusal
    _print(found, as_json)


@app.command()
def gates(
    mode: ModeName = "standard",
    games: Annotated[int, typer.Option(min=1, help="Number of games to draw.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Draw many games and count those that break a rule for facts (X40, X45-X48)."""
    found = report(_mode(mode), games)
    _print(msgspec.to_builtins(found), as_json)
    raise typer.Exit(1 if found.broken else 0)


def _tell(game: Drawn) -> None:
    typer.echo(f"mode: {game.mode}\ncode: {game.code}\nboard: {game.board}")
    for season in game.starting:
        typer.echo(f"\nstarting facts in {season.season} (as many as the level gives, from the first on)")
        for number, fact in enumerate(season.facts, 1):
            typer.echo(f"{number:3}  {sentence(fact)}")
    typer.echo("\ntopics and conferences")
    for fact in (*game.topics, *game.conferences):
        typer.echo(f"{TOPICS.get(fact.id, fact.id):>3}  {sentence(fact)}  [{title(fact)}]")


def translations(text: Text) -> dict[str, str]:
    """Return a sentence in every language."""
    return {language: locale.translate(text, language) for language in LANGUAGES}


def _mode(name: str) -> SkyMode:
    if name not in MODES:
        raise typer.BadParameter(f"{name!r} is no mode; known: {', '.join(MODES)}", param_hint="--mode")
    return MODES[name]


def _print(data: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(data).decode())
        return
    for key, value in data.items():
        shown = msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
        typer.echo(f"{key}: {shown}")
