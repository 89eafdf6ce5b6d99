"""Stores tournaments in the archive as plans and steps."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from device.personal_names import fold_case, replace_names, same_name
from engine.text import say
from referee_club.archive import Archive, NoMatch, Played
from referee_club.names import own_name
from referee_club.tournament import (
    Drawn,
    Ended,
    Plan,
    Refused,
    Step,
    Tournament,
    after,
    decides,
    make_tournament,
    take_step,
)

RECENT = 500
"""Newest matches searched for results."""

_TABLES = """
CREATE TABLE IF NOT EXISTS tournament (id TEXT PRIMARY KEY, made REAL NOT NULL, plan BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS step (tournament TEXT, n INTEGER, step BLOB NOT NULL, PRIMARY KEY (tournament, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS organiser (key TEXT NOT NULL) STRICT;
"""


class Tournaments:
    """An archive's tournaments. now: seconds since 1970."""

    def __init__(self, archive: Archive, now: Callable[[], float] = time.time) -> None:
        self._archive, self._now = archive, now
        archive.connection.executescript(_TABLES)

    def key(self) -> str:
        """Return the organiser's key, created once. Raises NoArchive."""
        found = self._archive.connection.execute("SELECT key FROM organiser").fetchone()
        if found is not None:
            return str(found[0])
        with self._archive.transaction() as db:
            key = secrets.token_urlsafe(18)
            db.execute("INSERT INTO organiser VALUES (?)", (key,))
        return key

    def all(self) -> Iterator[tuple[str, Tournament]]:
        """Yield ids and tournaments, newest first."""
        rows = self._archive.connection.execute("SELECT id FROM tournament ORDER BY made DESC, id").fetchall()
        return ((id, self.get(id)) for (id,) in rows)

    def get(self, id: str) -> Tournament:
        """Return a tournament. Raises NoMatch."""
        found = self._archive.connection.execute("SELECT plan FROM tournament WHERE id = ?", (id,)).fetchone()
        if found is None:
            raise NoMatch(f"the club knows no tournament {id}")
        tournament = make_tournament(msgspec.json.decode(found[0], type=Plan))
        steps = "SELECT step FROM step WHERE tournament = ? ORDER BY n"
        for (step,) in self._archive.connection.execute(steps, (id,)):
            tournament = after(tournament, msgspec.json.decode(step, type=Step))
        return tournament

    def make(self, plan: Plan) -> str:
        """Store a tournament; return its id. Raises Refused, NoArchive."""
        make_tournament(plan)
        id = secrets.token_hex(4)
        with self._archive.transaction() as db:
            db.execute("INSERT INTO tournament VALUES (?, ?, ?)", (id, self._now(), msgspec.json.encode(plan)))
        return id

    def delete(self, id: str) -> None:
        """Delete an undrawn tournament. Raises Refused, NoMatch, NoArchive."""
        with self._archive.transaction() as db:
            if self.get(id).rounds:
                raise Refused(say("The draw is already made. Undo it first."))
            db.execute("DELETE FROM step WHERE tournament = ?", (id,))
            db.execute("DELETE FROM tournament WHERE id = ?", (id,))

    def take(self, id: str, step: Step) -> Tournament:
        """Store a step; return the tournament after it. Raises Refused, NoMatch, NoArchive."""
        with self._archive.transaction() as db:
            if isinstance(step, Drawn):
                step = msgspec.structs.replace(step, at=self._now())
            tournament = take_step(self.get(id), step)
            (n,) = db.execute("SELECT count(*) FROM step WHERE tournament = ?", (id,)).fetchone()
            db.execute("INSERT INTO step VALUES (?, ?, ?)", (id, n, msgspec.json.encode(step)))
        return tournament

    def forget_player(self, name: str) -> int:
        """Replace an entrant's name by “Player N”, also in titles; return how many tournaments had it. Raises
        NoArchive."""
        found = 0
        with self._archive.transaction() as db:
            for id, kept in db.execute("SELECT id, plan FROM tournament").fetchall():
                plan = msgspec.json.decode(kept, type=Plan)
                if (other := _without(plan, name)) != plan:
                    found += 1
                    db.execute("UPDATE tournament SET plan = ? WHERE id = ?", (msgspec.json.encode(other), id))
        return found

    def drop_before(self, until: float) -> None:
        """Delete tournaments made before `until` (s since 1970) without stored matches. Raises NoArchive."""
        with self._archive.transaction() as db:
            old = [id for (id,) in db.execute("SELECT id FROM tournament WHERE made < ?", (until,)).fetchall()]
            for id in old:
                ended = [game.ended.match for games in self.get(id).rounds for game in games if game.ended is not None]
                if not any(map(self._archive.count_stored, filter(None, ended))):
                    db.execute("DELETE FROM step WHERE tournament = ?", (id,))
                    db.execute("DELETE FROM tournament WHERE id = ?", (id,))

    def results(self, id: str) -> dict[tuple[int, int], Ended]:
        """Return results played at tables for open games, by round and board: the pair's last uncounted match that
        began after the draw, if among the RECENT newest. Raises NoMatch."""
        tournament = self.get(id)
        if not tournament.open:
            return {}
        db = self._archive.connection
        (made,) = db.execute("SELECT made FROM tournament WHERE id = ?", (id,)).fetchone()
        drawn = max(made, tournament.drawn[-1])
        later = {id for (id,) in db.execute("SELECT id FROM match WHERE noted > ?", (drawn,))}
        later -= {game.ended.match for games in tournament.rounds for game in games if game.ended is not None}
        recent = self._archive.list_matches(game=tournament.plan.game, over=True, limit=RECENT)
        fresh = _by_names(each for each in recent if each.match in later and (each.began or drawn) >= drawn)
        found = {}
        for number, board in tournament.open:
            one, other = tournament.rounds[number][board].pair
            assert other is not None
            names = [fold_case(tournament.plan.entrants[each]) for each in (one, other)]
            match = fresh.get(frozenset(names))
            if match is not None:
                ended = _result_of(number, board, match, names)
                if not (ended.winner is None and decides(tournament, number)):
                    found[number, board] = ended
        return found


def _without(plan: Plan, name: str) -> Plan:
    entrants, title = list(plan.entrants), {name: "…"}
    for place, entrant in enumerate(plan.entrants):
        if same_name(entrant, name):
            free = (f"Player {n}" for n in range(place + 1, place + 2 + len(entrants)))
            entrants[place] = next(each for each in free if fold_case(each) not in map(fold_case, plan.entrants))
            title[entrant] = entrants[place]
    return msgspec.structs.replace(plan, name=replace_names(plan.name, title), entrants=tuple(entrants))


def _by_names(played: Iterable[Played]) -> dict[frozenset[str], Played]:
    found: dict[frozenset[str], Played] = {}
    for match in played:
        names = frozenset(fold_case(own_name(seated)) for seated in match.seats)
        if len(match.seats) == len(names) == 2:
            found.setdefault(names, match)
    return found


def _result_of(number: int, board: int, match: Played, names: list[str]) -> Ended:
    won = [names.index(fold_case(own_name(seated))) for seated in match.seats if seated.seat in match.winners]
    return Ended(number, board, won[0] if len(won) == 1 else None, match=match.match)
