"""Builds the club's pages from parts with ids, which `referee_club.live_updates` updates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from device import games
from engine.text import Text, in_context, many, say
from referee_club.archive import Archive, NoMatch, Played, Remark, Spoiled, Table
from referee_club.cards import card, display_name, in_order, overlay, wants
from referee_club.markup import Markup, Visit, tag, together
from referee_club.results import moment
from referee_club.standings import Record, Standing, snapshot
from referee_record.public_entries import Link, Signed

Parts = Mapping[str, Markup]
"""A page's elements by id, in order."""

ACTS = 60
"""Last actions on a table's page."""

TITLES: Mapping[str, Text] = {
    "": say("Hall"),
    "matches": say("Matches"),
    "players": say("Players"),
    "tournaments": say("Tournaments"),
}
"""Navigation by address."""

LANGUAGE = say("Language")


def frame(visit: Visit, title: str, parts: Parts, *, page: str, live: str = "", **asked: str) -> bytes:
    """Return a page. page, asked: address and parameters. live: event source."""
    links = (
        tag("a", visit.says(text), href=visit.to(each), aria_current="page" if each == page else None)
        for each, text in TITLES.items()
    )
    head = tag(
        "header",
        tag("h1", title),
        tag("nav", links, aria_label=visit.says(say("Pages"))),
        tag("p", id="link", class_="link", role="status") if live else None,
        visit.tongues(LANGUAGE, **asked),
    )
    words = {key: visit.says(text) for key, text in STATES.items()}
    attributes = {f"data-{key}": word for key, word in words.items()} if live else {}
    body = tag(
        "body",
        head,
        tag("main", parts.values(), id="parts"),
        class_=f"club {page or 'hall'}",
        data_live=live or None,
        **attributes,
    )
    return _document(visit, title, body)


STATES: Mapping[str, Text] = {
    "connected": in_context("the page and the simulation", "connected"),
    "lost": say("connection lost, trying again"),
}


def _document(visit: Visit, title: str, body: Markup) -> bytes:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1, viewport-fit=cover"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="/shared/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/shared/style.css"),
        tag("link", rel="stylesheet", href="/club/club.css"),
        tag("script", type="module", src="/club/club.js"),
    )
    return b"<!doctype html>" + tag("html", head, body, lang=visit.page_language).encode()


def overlaid(visit: Visit, parts: Parts, live: str) -> bytes:
    """Return the overlay page."""
    return _document(
        visit,
        visit.says(say("Overlay")),
        tag("body", tag("main", parts.values(), id="parts"), class_="over", data_live=live),
    )


# The hall.


def hall(archive: Archive, visit: Visit) -> Parts:
    """Return the hall's parts, urgent tables first."""
    tables = in_order(archive.tables())
    parts = {"state": _summary(visit, tables, archive.recent_remarks())}
    cards = [card(table, visit) for table in tables]
    return {**parts, **{f"table {table.name}": each for table, each in zip(tables, cards, strict=True)}}


def _summary(visit: Visit, tables: list[Table], remarks: Iterable[Remark]) -> Markup:
    playing = sum(_plays(table) for table in tables)
    needing = sum(bool(wants(table)) for table in tables)
    said = [tag("li", visit.says(remark.text)) for remark in remarks]
    if not tables:
        how = say("No table has connected yet. Add one with “referee club table NAME”.")
        return tag("section", tag("p", visit.says(how)), tag("ul", said, class_="needs") if said else None, id="state")
    counts = (
        (many("{count} table", "{count} tables", len(tables)), ""),
        (say("{count} in play", count=playing), ""),
        (many("{count} needs help", "{count} need help", needing), "urgent" if needing else ""),
    )
    facts = (tag("li", visit.says(text), class_=words or None) for text, words in counts)
    return tag(
        "section", tag("ul", facts, class_="facts"), tag("ul", said, class_="needs") if said else None, id="state"
    )


def _plays(table: Table) -> bool:
    return table.alive and table.glance is not None and bool(table.glance.match) and not table.glance.result


# One table.


def table(archive: Archive, visit: Visit, name: str) -> Parts:
    """Return a table page's parts. Raises NoMatch."""
    if name not in archive.names():
        raise NoMatch(f"the club knows no table {name}")
    found = archive.table(name)
    return {
        "card": card(found, visit),
        "acts": _acts(archive, visit, found),
        "about": _about_table(visit, found),
    }


def _acts(archive: Archive, visit: Visit, found: Table) -> Markup:
    match = found.glance.match if found.glance is not None else ""
    title = tag("h2", visit.says(say("Moves")))
    links, spoiled = _links(archive, match)
    if spoiled is not None:
        return tag("section", title, tag("p", visit.says(spoiled), class_="needs"), id="acts", class_="box")
    last = [link.body for link in links if isinstance(link.body, Link) and link.body.told][-ACTS:]
    if not last:
        return tag("section", title, tag("p", visit.says(say("Nothing yet.")), class_="quiet"), id="acts", class_="box")
    told = tag("ol", (_act(visit, link) for link in reversed(last)), class_="acts")
    whole = tag("p", tag("a", visit.says(say("The whole match")), href=visit.to("match", id=match)))
    return tag("section", title, told, whole, id="acts", class_="box")


def _links(archive: Archive, match: str) -> tuple[list[Signed], Text | None]:
    try:
        return archive.links(match), None
    except NoMatch:
        return [], None
    except Spoiled as error:
        return [], error.text


def _act(visit: Visit, link: Link) -> Markup:
    said = together(*(together(visit.quotes(each), " ") for each in link.told))
    clauses = tag("small", " ".join(link.clauses), class_="clauses") if link.clauses else None
    return tag("li", tag("span", lasting(link.at), class_="at"), tag("span", said), clauses)


def _about_table(visit: Visit, found: Table) -> Markup:
    remarks = [tag("li", when(remark.at), " ", visit.says(remark.text)) for remark in found.remarks]
    rows = [
        (say("Last contact"), when(found.heard) if found.heard is not None else visit.says(say("never"))),
        (say("Camera"), visit.says(CAMERA.get(_camera(found), say("has a problem")))),
        (say("Its key"), tag("code", found.key or visit.says(say("not known yet")))),
    ]
    return tag(
        "section",
        tag("h2", visit.says(say("About this table"))),
        facts(visit, rows),
        tag("ul", remarks, class_="needs") if remarks else None,
        tag(
            "p",
            tag("a", visit.says(say("Its matches")), href=visit.to("matches", table=found.name)),
            " · ",
            tag("a", visit.says(say("Overlay for a stream")), href=visit.to("overlay", table=found.name)),
        ),
        id="about",
        class_="box",
    )


CAMERA: Mapping[str, Text] = {
    "ok": say("sees the table"),
    "none": say("none"),
    "silent": say("offline"),
}


def _camera(found: Table) -> str:
    return found.glance.camera if found.glance is not None else "none"


def facts(visit: Visit, rows: Iterable[tuple[Text, Markup | str]]) -> Markup:
    """Return a definition list of names and values."""
    return tag("dl", (together(tag("dt", visit.says(name)), tag("dd", value)) for name, value in rows))


def overlay_parts(archive: Archive, visit: Visit, name: str) -> Parts:
    """Return a table's overlay parts."""
    return {"overlay": overlay(archive.table(name), visit)}


# Matches.


def matches(archive: Archive, visit: Visit, *, table: str = "", game: str = "") -> Parts:
    """Return parts of the newest matches, newest first, of the given table and game."""
    found = archive.list_matches(table=table, game=game)
    of = " · ".join(each for each in (table, title_of(visit, game) if game else "") if each)
    save = tag("a", visit.says(say("All results as CSV")), href="/results.csv")
    head = tag("p", f"{of} · " if of else None, save, id="save")
    listed = _match_list(archive, visit, found) if found else _nothing(visit, "matches")
    return {"save": head, "matches": listed, "kept": _retention_note(archive, visit)}


def _retention_note(archive: Archive, visit: Visit) -> Markup:
    days = archive.keep_days
    kept = many("Matches are kept for {count} day.", "Matches are kept for {count} days.", days)
    asked = say("The club removes your name from them if you ask.")
    shown = (visit.says(kept if days else say("Matches are kept for ever.")), " ", visit.says(asked))
    return tag("p", shown, id="kept", class_="hint")


def _nothing(visit: Visit, identity: str) -> Markup:
    return tag("p", visit.says(say("Nothing yet.")), id=identity, class_="quiet")


def _match_list(archive: Archive, visit: Visit, found: Collection[Played]) -> Markup:
    titles = titles_of(visit, (match.game for match in found))
    playing = {table.glance.match for table in archive.tables() if table.glance is not None and _plays(table)}
    names = (say("Started"), say("Table"), say("Game"), say("Players"), say("Result"))
    rows = (
        (
            tag("a", began(visit, match), href=visit.to("match", id=match.match)),
            match.table,
            titles[match.game],
            people(visit, match),
            _result(visit, match, match.match in playing),
        )
        for match in found
    )
    return lines(visit, "matches", names, rows)


def _result(visit: Visit, match: Played, playing: bool) -> Markup | str:
    if match.result:
        return visit.quotes(match.result)
    return visit.says(say("in play") if playing else say("no result"))


def lines(
    visit: Visit,
    identity: str,
    names: Iterable[Text],
    rows: Iterable[Iterable[Markup | str]],
    *,
    label: Text | None = None,
) -> Markup:
    """Return an HTML table; narrow displays stack its cells."""
    heads = [visit.says(name) for name in names]
    top = tag("thead", tag("tr", (tag("th", head, scope="col") for head in heads)))
    body = (
        tag("tr", (tag("td", tag("span", cell), data_of=head) for head, cell in zip(heads, row, strict=True)))
        for row in rows
    )
    caption = None if label is None else tag("caption", visit.says(label))
    return tag("table", caption, top, tag("tbody", body), id=identity, class_="lines")


def people(visit: Visit, match: Played) -> Markup:
    """Return the players, winners marked."""
    names = []
    for seated in match.seats:
        name = display_name(seated, visit)
        won = seated.seat in match.winners
        names.append(tag("strong", name) if won else together(name))
    return together(*(together(" – " if place else "", each) for place, each in enumerate(names)))


def match(archive: Archive, visit: Visit, id: str) -> Parts:
    """Return a match page's parts. Raises NoMatch."""
    found = archive.match(id)
    links, spoiled = _links(archive, id)
    its = archive.table(found.table)
    playing = its.glance is not None and its.glance.match == id and _plays(its)
    rows = [
        (say("Started"), began(visit, found)),
        (say("Table"), tag("a", found.table, href=visit.to("table", name=found.table))),
        (say("Game"), title_of(visit, found.game)),
        (say("Players"), people(visit, found)),
        (say("Result"), _result(visit, found, playing)),
        (say("Length"), lasting(found.lasted)),
    ]
    return {
        "about": tag("section", facts(visit, rows), id="about", class_="box"),
        "record": _record(visit, found, spoiled),
        "told": _move_list(visit, links),
    }


def _record(visit: Visit, found: Played, spoiled: Text | None) -> Markup:
    title = tag("h2", visit.says(say("Was it played by the rules?")))
    if not found.links:
        why = visit.says(say("The club has not received this match's record. The table where it was played has it."))
        return tag("section", title, tag("p", why), id="record", class_="box")
    if spoiled is not None:
        return tag("section", title, tag("p", visit.says(spoiled), class_="needs"), id="record", class_="box")
    name = f"{found.match[:8]}.signed"
    lacking = say("Part of this match is missing here. The table's own export is complete.")
    if found.doubted:
        lacking = say("The table signed this match otherwise later. Kept here is what it signed first.")
    how = say("Save the signed record and check it on any computer:")
    return tag(
        "section",
        title,
        tag("p", visit.says(how)),
        tag("p", tag("a", visit.says(say("Save the public record")), href=f"/record?id={found.match}", download=name)),
        tag("code", f"referee verify {name}", class_="line"),
        None if found.whole or not found.result else tag("p", visit.says(lacking), class_="needs"),
        id="record",
        class_="box",
    )


def _move_list(visit: Visit, links: Iterable[Signed]) -> Markup:
    acts = (link.body for link in links if isinstance(link.body, Link) and link.body.told)
    told = tag("ol", (_act(visit, link) for link in acts), class_="acts")
    return tag("section", tag("h2", visit.says(say("Moves"))), told, id="told", class_="box")


# Players.


def players(archive: Archive, visit: Visit, *, game: str = "") -> Parts:
    """Return the league's parts, overall or by game. Raises NoMatch."""
    all_of_them = snapshot(archive)
    if game and game not in all_of_them.games:
        raise NoMatch(f"the club knows no match of {game}")
    choices = [
        tag("a", text, href=visit.to("players", game=each), aria_current="page" if each == game else None)
        for each, text in (
            ("", visit.says(say("All games"))),
            *((each, title_of(visit, each)) for each in sorted(all_of_them.games)),
        )
    ]
    found = all_of_them.league(game)
    shown = _league(visit, found) if found else _nothing(visit, "league")
    why = say("Only players who agreed to be listed appear. A draw is half a point.")
    return {
        "games": tag("nav", choices, id="games", class_="choices", aria_label=visit.says(say("Game"))),
        "league": shown,
        "why": tag("p", visit.says(why), id="why", class_="hint"),
        "kept": _retention_note(archive, visit),
    }


COUNTED = (
    say("Points"),
    say("Matches"),
    in_context("a column of a league", "Won"),
    in_context("a column of a league", "Drawn"),
    in_context("a column of a league", "Lost"),
    say("Won, %"),
    say("Length of a match"),
)
"""Columns of `_record_cells`, after the points."""


def _league(visit: Visit, found: Iterable[Standing]) -> Markup:
    names = (in_context("a column of a league", "Place"), say("Player"), *COUNTED)
    rows = (
        (
            str(place),
            tag("a", each.name, href=visit.to("player", name=each.name)),
            number(each.whole.points),
            *_record_cells(each.whole),
        )
        for place, each in enumerate(found, start=1)
    )
    return lines(visit, "league", names, rows)


def _record_cells(record: Record) -> tuple[str, ...]:
    counts = (record.matches, record.won, record.drawn, record.lost, round(100 * record.rate))
    return (*map(str, counts), lasting(record.mean_s))


def player(archive: Archive, visit: Visit, name: str) -> Parts:
    """Return a player page's parts. Raises NoMatch."""
    found = snapshot(archive).player(name)
    if found is None:
        raise NoMatch(f"the club knows no player {name}")
    names = (say("Game"), *COUNTED)
    by_game = (
        (title_of(visit, game), number(each.points), *_record_cells(each))
        for game, each in sorted(found.by_game.items())
    )
    return {
        "games": lines(visit, "games", names, by_game),
        "matches": _match_list(archive, visit, archive.list_matches(player=name)),
        "kept": _retention_note(archive, visit),
    }


# Shared parts.


def title_of(visit: Visit, game: str) -> str:
    """Return a game's title, or its name if not installed; "not known yet" for ""."""
    try:
        return visit.says(Text(games.spec(game).title)) if game else visit.says(say("not known yet"))
    except games.UnknownGame:
        return game


def titles_of(visit: Visit, names: Iterable[str]) -> dict[str, str]:
    """Return games' titles by name."""
    return {name: title_of(visit, name) for name in set(names)}


def began(visit: Visit, match: Played) -> Markup | str:
    return visit.says(say("clock not set")) if moment(match.began) is None else when(match.began)


def when(at: float | None) -> Markup | str:
    """Return local day and time; a dash if invalid."""
    if (found := moment(at)) is None:
        return "–"
    here = found.astimezone()
    return tag("time", here.strftime("%Y-%m-%d %H:%M"), datetime=here.isoformat(timespec="seconds"))


def lasting(seconds: float) -> str:
    """Return seconds as m:ss, from an hour on h:mm:ss."""
    minutes, left = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def number(points: float) -> str:
    """Return points as text, with "½" for a half."""
    whole, half = divmod(round(points * 2), 2)
    return f"{whole}½" if half and whole else "½" if half else str(whole)
