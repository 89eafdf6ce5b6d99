"""Sky, games and lists of games as plain data, for checks from outside.

`translations` maps a Text to {language: sentence}."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.errors import Invalid
from engine.planetx.boards import legal_boards
from engine.planetx.draw import Drawn
from engine.planetx.facts import ABOUT_X, Fact, flaws, holds, sentence, title
from engine.planetx.opening import FACTS_AT
from engine.planetx.sky import MODES, SkyMode, faults
from engine.text import Text, say

Translations: TypeAlias = "Callable[[Text], dict[str, str]]"


class GivenFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact in a file. title, text: ignored."""

    form: str
    id: str | None = None
    p: str | None = None
    q: str | None = None
    n: int | None = None
    sector: int | None = None
    title: Any = None
    text: Any = None

    def fact(self) -> Fact:
        """Convert it. A form about Planet X may also have X as p and the other kind as q."""
        p, q = self.p, self.q
        if self.form in ABOUT_X and p in ("X", None) and q is not None:
            p, q = q, None
        return Fact(self.form, p, q, self.n, self.sector, id=self.id or "")


class GivenGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game in a file, with facts listed or as in `game_data`. starting_facts: by season and level. code: ignored."""

    mode: str
    board: str
    code: Any = None
    facts: tuple[GivenFact, ...] = ()
    starting_facts: dict[str, dict[str, tuple[GivenFact, ...]]] = {}
    topics: tuple[GivenFact, ...] = ()
    conferences: tuple[GivenFact, ...] = ()

    def list_facts(self) -> Iterator[tuple[str, int, Fact]]:
        """Yield (list, index, fact), each starting fact once per season."""
        for where, facts in (("facts", self.facts), ("topics", self.topics), ("conferences", self.conferences)):
            yield from ((where, number, given.fact()) for number, given in enumerate(facts))
        for season, levels in self.starting_facts.items():
            told: set[Fact] = set()
            for level, facts in sorted(levels.items(), key=lambda each: -len(each[1])):
                new = [(number, given.fact()) for number, given in enumerate(facts) if given.fact() not in told]
                yield from ((f"starting_facts.{season}.{level}", number, fact) for number, fact in new)
                told |= {fact for _, fact in new}


def boards_data(mode: SkyMode, listed: bool = False) -> dict[str, Any]:
    """Return count, counts by sector of Planet X, and SHA-256; with `listed` the boards too."""
    boards = legal_boards(mode)
    data: dict[str, Any] = {
        "mode": mode.name,
        "count": len(boards),
        "per_sector": list(boards.per_sector()),
        "sha256": boards.digest(),
    }
    if listed:
        data["boards"] = boards.spelt().decode().splitlines()
    return data


def game_data(game: Drawn, translations: Translations) -> dict[str, Any]:
    """Return a game with its hidden board; never show it at a table."""
    facts = {
        season.season: [fact_data(replace(fact, id=str(k)), translations) for k, fact in enumerate(season.facts, 1)]
        for season in game.starting
    }
    return {
        "mode": game.mode,
        "code": game.code,
        "board": game.board,
        "starting_facts": {
            season: {level: listed[:number] for level, number in FACTS_AT.items()} for season, listed in facts.items()
        },
        "topics": [fact_data(fact, translations) for fact in game.topics],
        "conferences": [fact_data(fact, translations) for fact in game.conferences],
    }


def fact_data(fact: Fact, translations: Translations) -> dict[str, Any]:
    """Return {id, title, form, p, q, n, sector, text}."""
    return {
        "id": fact.id,
        "title": str(title(fact)),
        "form": fact.form,
        "p": fact.p,
        "q": fact.q,
        "n": fact.n,
        "sector": fact.sector,
        "text": translations(sentence(fact)),
    }


def read_games(data: bytes) -> tuple[GivenGame, ...]:
    """Read a JSON array of games, or one object. Raises Invalid."""
    try:
        if data.lstrip().startswith(b"{"):
            return (msgspec.json.decode(data, type=GivenGame),)
        return msgspec.json.decode(data, type=tuple[GivenGame, ...])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(say("This is not a list of games: {reason}", reason=str(error))) from error


def check(games: tuple[GivenGame, ...]) -> dict[str, Any]:
    """Return illegal boards and false facts as {games, facts, illegal_boards, false_facts}."""
    illegal, false, facts = [], [], 0
    for number, game in enumerate(games):
        reasons = _illegal(game)
        if reasons:
            illegal.append({"game": number, "mode": game.mode, "board": game.board, "reasons": reasons})
        listed = list(game.list_facts())
        facts += len(listed)
        false += [
            {"game": number, "where": where, "fact": k, "id": fact.id or None, "form": fact.form, "reason": reason}
            for where, k, fact in listed
            for reason in [_false(fact, game)]
            if reason
        ]
    return {"games": len(games), "facts": facts, "illegal_boards": illegal, "false_facts": false}


def _illegal(game: GivenGame) -> list[dict[str, str]]:
    mode = MODES.get(game.mode)
    if mode is None:
        return [{"clause": "X2", "reason": f"unknown mode {game.mode!r}; known: {', '.join(MODES)}"}]
    return [{"clause": breach.clause, "reason": str(breach.text)} for breach in faults(mode, game.board)]


def _false(fact: Fact, game: GivenGame) -> str | None:
    mode = MODES.get(game.mode)
    if mode is None or len(game.board) != mode.sectors:
        return "there is no board that it could be true on"
    flaw = flaws(fact, mode)
    if flaw is not None:
        return flaw
    return None if holds(fact, mode, game.board) else f"not on {game.board}: {sentence(fact)}"
