"""Draws a table's state as a hall card or stream overlay."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from engine.text import Text, say
from referee_club.archive import Table
from referee_club.markup import Markup, Visit, tag, together
from referee_club.names import own_name
from referee_record.public_frames import Glance, Running, Seated

UNHEARD = say("No contact with the table: it is switched off or offline.")
WELL = frozenset({"ok", "none"})
"""Camera states without a fault."""


def identity(table: str) -> str:
    """Return a table's element id."""
    return f"table-{quote(table, safe='')}"


def wants(table: Table) -> tuple[Text | str, ...]:
    """Return why a table needs help, most urgent first; a str is the table's own English."""
    glance = table.glance
    under_way = glance is not None and glance.match and not glance.result
    reasons: list[Text | str] = []
    if glance is not None and glance.needs and table.alive:
        reasons.append(glance.needs)
    if not table.alive and under_way:
        reasons.append(UNHEARD)
    if table.alive and glance is not None and glance.camera not in WELL and not glance.needs:
        reasons.append(say("The camera can't see the table properly."))
    reasons += [remark.text for remark in table.remarks]
    return tuple(reasons)


def in_order(tables: list[Table]) -> list[Table]:
    """Sort tables: needing help, playing, idle, offline; then by name."""
    return sorted(tables, key=lambda table: (_rank(table), *_natural(table.name)))


def _rank(table: Table) -> int:
    glance = table.glance
    if wants(table):
        return 0 if glance is not None and (glance.needs or not table.alive) else 1
    if not table.alive:
        return 4
    return 2 if glance is not None and glance.match and not glance.result else 3


def _natural(name: str) -> tuple[tuple[int, int | str], ...]:
    return tuple((0, int(part)) if part.isdecimal() else (1, part.lower()) for part in re.split(r"(\d+)", name) if part)


@lru_cache(maxsize=1024)
def card(table: Table, visit: Visit) -> Markup:
    """Return a table's hall card."""
    reasons = wants(table)
    link = tag("a", table.name, href=visit.to("table", name=table.name))
    urgent = _rank(table) < 2
    head = tag("header", tag("h2", link), tag("span", visit.says(_state(table)), class_="state"))
    alarm = tag("ul", (tag("li", _reason(visit, each)) for each in reasons[:3]), class_="needs") if reasons else None
    shown = looks(table, visit) if table.glance is not None else None
    words = f"card{' urgent' if urgent else ''}{'' if table.alive else ' gone'}"
    return tag("article", head, alarm, shown, id=identity(table.name), class_=words)


def _reason(visit: Visit, reason: Text | str) -> Markup | str:
    return visit.quotes(reason) if isinstance(reason, str) else visit.says(reason)


def _state(table: Table) -> Text:
    glance = table.glance
    if not table.alive:
        return say("offline")
    if glance is None or not glance.match:
        return say("no match")
    if glance.result:
        return say("match over")
    return say("paused") if glance.paused else say("in play")


def looks(table: Table, visit: Visit) -> Markup:
    """Return game, players, scores and status of a table with a glance."""
    glance = table.glance
    assert glance is not None
    rows = (_row(table, glance, seated, visit) for seated in glance.seats)
    return together(
        tag("p", visit.quotes(glance.game), class_="game"),
        tag("ul", rows, class_="players") if glance.seats else None,
        _other_scores(glance, visit),
        tag("p", visit.quotes(glance.result or glance.status), class_="status")
        if glance.result or glance.status
        else None,
    )


def _row(table: Table, glance: Glance, seated: Seated, visit: Visit) -> Markup:
    side = visit.quotes(seated.side) if seated.side and own_name(seated) else None
    turn = seated.turn and not glance.result
    return tag(
        "li",
        tag("span", display_name(seated, visit), tag("small", side) if side else None, class_="name"),
        tag("span", visit.says(say("to move")), class_="turn") if turn else None,
        tag("span", visit.says(say("winner")), class_="turn") if seated.seat in glance.winners else None,
        score(glance, seated),
        clock(table, glance, seated.seat),
        class_="moves" if turn else None,
    )


def display_name(seated: Seated, visit: Visit) -> str:
    """Return a player's name, else side, else seat."""
    if seated.side and not own_name(seated):
        return visit.speaks(seated.side)
    return own_name(seated) or visit.says(say("Seat {seat}", seat=seated.seat.upper()))


def _score_of(glance: Glance, seated: Seated) -> tuple[int, ...]:
    names = {seated.name, seated.side, seated.seat.upper()} - {""}
    return tuple(count for scores in glance.scores for of, count in scores.entries if of in names)


def score(glance: Glance, seated: Seated) -> Markup | None:
    """Return a player's first score; None without one."""
    counts = _score_of(glance, seated)
    return tag("strong", str(counts[0]), class_="score") if counts else None


def _other_scores(glance: Glance, visit: Visit) -> Markup | None:
    listed: list[Markup | str] = []
    for scores in glance.scores[:4]:
        own = {name for seated in glance.seats for name in (seated.name, seated.side, seated.seat.upper())} - {""}
        rest = [f"{of} {count}".strip() for of, count in scores.entries if of not in own]
        first = scores is glance.scores[0]
        if first and not rest and scores.to is not None:
            listed.append(visit.says(say("{what}: first to {goal}", what=Text(scores.of), goal=scores.to)))
        elif rest or not first:
            every = rest or [f"{of} {count}" for of, count in scores.entries]
            listed.append(together(visit.quotes(scores.of), ": ", " · ".join(every)))
    parts = [tag("li", each) for each in listed if each]
    return tag("ul", parts, class_="scores") if parts else None


def clock(table: Table, glance: Glance, seat: str) -> Markup | None:
    """Return a player's clock, which the page continues; None without one."""
    found = next((each for each in glance.clocks if each.seat == seat), None)
    if found is None:
        return None
    runs = found.runs and table.alive and not glance.paused
    return tag(
        "span",
        face(found),
        class_="clock",
        data_left=found.left_s,
        data_since=table.heard if runs else None,
        role="timer",
    )


def face(clock: Running) -> str:
    """Return a clock's remaining time as m:ss."""
    left = max(0, int(clock.left_s))
    return f"{left // 60}:{left % 60:02}"


def overlay(table: Table, visit: Visit) -> Markup:
    """Return a table's stream overlay, empty without a match."""
    glance = table.glance
    if glance is None or not glance.match:
        return tag("div", id=identity(table.name), class_="overlay empty")
    rows = (_row(table, glance, seated, visit) for seated in glance.seats)
    status = glance.result or (visit.says(say("paused")) if glance.paused else "")
    return tag(
        "div",
        tag("h1", visit.quotes(glance.game), class_="game"),
        tag("ul", rows, class_="players"),
        tag("p", visit.quotes(status), class_="status") if status else None,
        id=identity(table.name),
        class_="overlay",
    )
