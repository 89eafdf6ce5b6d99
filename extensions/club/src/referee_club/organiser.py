"""Carries out organisers' orders on tournament pages."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import unicodedata
from typing import Any

import msgspec

from device import games
from engine.text import say
from referee_club.archive import Archive, NoArchive, NoMatch
from referee_club.markup import Visit
from referee_club.tournament import Cleared, Drawn, Ended, Kind, Plan, Refused, Withdrawn, draw, pair_of
from referee_club.tournaments import Tournaments

_log = logging.getLogger(__name__)

LONGEST = 16 * 1024
"""Bytes of an order."""

NAME = 80
"""Characters of a name."""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order. do: its kind. fields: the form's."""

    do: str
    fields: dict[str, str]


async def carried_out(archive: Archive, visit: Visit, said: str) -> dict[str, Any]:
    """Carry out an order; return `refused` with a sentence, or `done` with the next page ("": the same one)."""
    try:
        order = msgspec.json.decode(said, type=Order)
        return {"done": await _do(Tournaments(archive), visit, order)}
    except Refused as refused:
        return {"refused": visit.says(refused.text)}
    except (NoArchive, sqlite3.Error) as error:
        _log.error("%s", error)
        return {
            "refused": visit.says(say("Nothing was saved: the club's archive can't be written to. Is its disk full?"))
        }
    except ModuleNotFoundError as error:
        why = say("The library {name} is missing: run “make club” in a checkout to install it.", name=error.name or "")
        return {"refused": visit.says(why)}
    except (NoMatch, KeyError, ValueError, RecursionError):
        return {"refused": visit.says(say("This page is out of date. Open it again."))}


async def _do(kept: Tournaments, visit: Visit, order: Order) -> str:
    fields = order.fields
    if order.do == "make":
        return visit.to("tournament", id=kept.make(_plan(fields)))
    id = fields["id"]
    match order.do:
        case "draw":
            kept.take(id, await _find_drawn(kept, id))
        case "delete":
            kept.delete(id)
            return visit.to("tournaments")
        case "withdraw":
            kept.take(id, Withdrawn())
        case "clear":
            _look(kept, id, fields)
            kept.take(id, Cleared(int(fields["round"]), int(fields["board"])))
        case "result":
            _look(kept, id, fields)
            kept.take(id, _read_ended(kept, id, fields))
        case _:
            raise ValueError(order.do)
    return ""


async def _find_drawn(kept: Tournaments, id: str) -> Drawn:
    tournament = kept.get(id)
    found = await asyncio.to_thread(draw, tournament)
    if kept.get(id) != tournament:
        raise Refused(say("Something has changed. Please check again."))
    return found


def _look(kept: Tournaments, id: str, fields: dict[str, str]) -> None:
    place, board, rounds = int(fields["round"]), int(fields["board"]), kept.get(id).rounds
    here = 0 <= place < len(rounds) and 0 <= board < len(rounds[place])
    if not here or pair_of(rounds[place][board].pair) != fields["pair"]:
        raise Refused(say("Something has changed. Please check again."))


def _plan(fields: dict[str, str]) -> Plan:
    kind, entrants = Kind(fields["kind"]), tuple(filter(None, map(_name, fields["entrants"].splitlines())))
    game = fields.get("game", "")
    if game and game not in games.specs(lambda *_: None):
        raise ValueError(game)
    rounds = fields.get("rounds") or "0"
    return Plan(_name(fields["name"]), kind, entrants, game, int(rounds) if kind is Kind.SWISS else 0)


def _name(written: str) -> str:
    plain = "".join(each for each in written if each.isspace() or unicodedata.category(each) not in ("Cc", "Cf", "Cs"))
    return unicodedata.normalize("NFC", " ".join(plain.split()))[:NAME]


def _read_ended(kept: Tournaments, id: str, fields: dict[str, str]) -> Ended:
    place, board = int(fields["round"]), int(fields["board"])
    if match := fields.get("match"):
        found = kept.results(id).get((place, board))
        if found is None or found.match != match:
            raise Refused(say("Something has changed. Please check again."))
        return msgspec.structs.replace(found, points=_points(fields, found.winner))
    winner = None if fields["winner"] == "draw" else int(fields["winner"])
    if winner not in (None, 0, 1):
        raise ValueError(fields["winner"])
    return Ended(place, board, winner, _points(fields, winner))


def _points(fields: dict[str, str], winner: int | None) -> tuple[int, int] | None:
    written = fields.get("points0", ""), fields.get("points1", "")
    if not any(written):
        return None
    if not all(each.isdecimal() and len(each) < 4 for each in written):
        raise Refused(say("Enter the hits of both, or of neither."))
    points = int(written[0]), int(written[1])
    best = None if points[0] == points[1] else 0 if points[0] > points[1] else 1
    if best is not None and best != winner:
        raise Refused(say("The winner needs more hits."))
    return points
