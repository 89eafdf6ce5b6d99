"""Builds the tournament pages, with controls for the organiser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from device import games
from engine.evening import Meeting
from engine.text import Text, in_context, say
from referee_club.archive import Archive
from referee_club.markup import Markup, Visit, tag, together
from referee_club.pages import Parts, lines, number, title_of, titles_of
from referee_club.tournament import (
    MOST,
    NAMES,
    Ended,
    Game,
    Kind,
    Tournament,
    decides,
    pair_of,
    pool_standings,
    pools,
    ranking,
    scores,
    tableau,
)
from referee_club.tournaments import Tournaments

PLACE, WON = in_context("a column of a league", "Place"), in_context("a column of a league", "Won")
DRAWN, LOST = in_context("a column of a league", "Drawn"), in_context("a column of a league", "Lost")


def tournament_list(archive: Archive, visit: Visit) -> Parts:
    """Return the tournaments' parts, newest first."""
    names = (say("Tournament"), say("System"), say("Game"), say("Players"), say("Standings"))
    found = list(Tournaments(archive).all())
    titles = {**titles_of(visit, (each.plan.game for _, each in found)), "": visit.says(say("any"))}
    rows = [
        (
            tag("a", each.plan.name, href=visit.to("tournament", id=id)),
            visit.says(NAMES[each.plan.kind]),
            titles[each.plan.game],
            str(len(each.plan.entrants)),
            _stands(visit, each),
        )
        for id, each in found
    ]
    shown = lines(visit, "tournaments", names, rows) if rows else None
    parts = {"tournaments": shown or tag("p", visit.says(say("Nothing yet.")), class_="quiet")}
    return {**parts, "make": _making(visit)} if visit.token else parts


def _game(visit: Visit, tournament: Tournament) -> str:
    return title_of(visit, tournament.plan.game) if tournament.plan.game else visit.says(say("any"))


def _stands(visit: Visit, tournament: Tournament) -> str:
    if not tournament.rounds:
        return visit.says(say("not drawn yet"))
    if tournament.finished:
        best = tournament.plan.entrants[ranking(tournament)[0]]
        return visit.says(say("finished: {name} is first", name=best))
    return visit.says(say("in play"))


def _making(visit: Visit) -> Markup:
    kinds = (tag("option", visit.says(text), value=kind.value) for kind, text in NAMES.items())
    titles = ((name, visit.says(Text(spec.title))) for name, spec in games.specs(lambda *_: None).items())
    every = (tag("option", title, value=name) for name, title in (("", visit.says(say("any"))), *titles))
    return _form(
        "make",
        tag("h2", visit.says(say("A new tournament"))),
        _field(visit, say("Name"), tag("input", name="name", required=True, maxlength=80, autocomplete="off")),
        _field(visit, say("System"), tag("select", kinds, name="kind")),
        _field(
            visit,
            say("Number of Swiss rounds"),
            tag("input", name="rounds", type="number", min=1, max=MOST, value=3, inputmode="numeric"),
            of=Kind.SWISS,
        ),
        _field(visit, say("Game"), tag("select", every, name="game")),
        _field(
            visit,
            say("Players, one per line, best first (same names as at the tables)"),
            tag("textarea", name="entrants", rows=8, required=True, autocomplete="off", spellcheck="false"),
        ),
        tag("button", visit.says(say("Create")), class_="plain"),
        class_="box",
    )


def _form(do: str, *inside: Markup | None, class_: str | None = None) -> Markup:
    return tag("form", *inside, tag("p", class_="refused", role="alert"), data_do=do, class_=class_)


def _field(visit: Visit, label: Text, control: Markup, *, of: Kind | None = None) -> Markup:
    return tag("label", tag("span", visit.says(label)), control, class_="field", data_of=of)


def tournament_parts(archive: Archive, visit: Visit, id: str) -> Parts:
    """Return a tournament's parts. Raises NoMatch."""
    kept = Tournaments(archive)
    tournament = kept.get(id)
    offered = kept.results(id) if visit.token else {}
    table = {"ranking": _ranking(visit, tournament)}
    if rounds := tableau(tournament):
        table["tableau"] = _tableau(visit, tournament, rounds)
    drawn = [_round(visit, tournament, id, place, offered) for place in reversed(range(len(tournament.rounds)))]
    pooled = tournament.plan.kind is Kind.POOLS and len(tournament.rounds) == 1
    first = int(bool(tournament.open) and not pooled and len(tournament.rounds) - tournament.since == 1)
    parts = {"about": _about(visit, tournament, id)}
    for each in (*drawn[:first], table, *drawn[first:]):
        parts |= each
    return parts


def _round(
    visit: Visit, tournament: Tournament, id: str, place: int, offered: Mapping[tuple[int, int], Ended]
) -> dict[str, Markup]:
    found = {f"round {place}": tag("h2", _round_title(visit, tournament, place))}
    for board, game in enumerate(tournament.rounds[place]):
        found[f"game {place} {board}"] = _board(visit, tournament, id, place, board, game, offered.get((place, board)))
    return found


def _about(visit: Visit, tournament: Tournament, id: str) -> Markup:
    plan = tournament.plan
    words = " · ".join((visit.says(NAMES[plan.kind]), _game(visit, tournament), _stands(visit, tournament)))
    own = tag("input", type="hidden", name="id", value=id)
    open_ones = len(tournament.open)
    left = (
        tag("p", visit.says(say("Still to be played: {count}", count=open_ones)), class_="quiet") if open_ones else None
    )
    draw = withdraw = delete = None
    if visit.token and not open_ones and not tournament.finished:
        text = say("Draw the next round") if tournament.rounds else say("Draw")
        draw = _form("draw", own, tag("button", visit.says(text), class_="plain"))
    if visit.token and not tournament.rounds:
        delete = _form("delete", own, tag("button", visit.says(say("Delete the tournament")), class_="plain"))
    since = (game for games_of in tournament.rounds[tournament.since :] for game in games_of)
    if visit.token and tournament.draws and not any(game.ended for game in since):
        withdraw = _form("withdraw", own, tag("button", visit.says(say("Undo the draw")), class_="plain"))
    return tag("section", tag("h2", plan.name), tag("p", words), left, draw, withdraw, delete, class_="box")


def _round_title(visit: Visit, tournament: Tournament, place: int) -> str:
    kind, left = tournament.plan.kind, len(tableau(tournament)) - place - (tournament.plan.kind is not Kind.POOLS)
    if kind is Kind.POOLS and place == 0:
        return visit.says(say("Pools"))
    if not decides(tournament, place):
        return visit.says(say("Round {number}", number=place + 1))
    finals = {0: say("Final"), 1: say("Semi-finals"), 2: say("Quarter-finals")}
    return visit.says(finals.get(left, say("Round {number}", number=place + 1)))


def _ranking(visit: Visit, tournament: Tournament) -> Markup:
    names = tournament.plan.entrants
    if found := scores(tournament):
        swiss = tournament.plan.kind is Kind.SWISS
        tie = say("Buchholz") if swiss else say("Sonneborn-Berger")
        heads = (PLACE, say("Player"), say("Points"), tie, say("Matches"), WON, DRAWN, LOST)
        rows = [
            (
                str(place),
                names[each.entrant],
                number(each.points),
                f"{each.buchholz if swiss else each.berger:g}",
                *map(str, (each.played, each.won, each.drawn, each.lost)),
            )
            for place, each in enumerate(found, start=1)
        ]
        return lines(visit, "ranking", heads, rows)
    if tournament.plan.kind is Kind.POOLS and tournament.rounds:
        return _pool_ranking(visit, tournament)
    seeds = [(str(place), names[each]) for place, each in enumerate(ranking(tournament), start=1)]
    return lines(visit, "ranking", (PLACE, say("Player")), seeds)


def _pool_ranking(visit: Visit, tournament: Tournament) -> Markup:
    pool = in_context("a column of a league", "Pool")
    heads = (PLACE, say("Player"), pool, say("Victories"), say("Bouts"), say("HS-HR"), say("HS"))
    of = {player: place for place, players in enumerate(pools(tournament.plan), start=1) for player in players}
    by = {each.player: each for each in pool_standings(tournament)}
    rows = [
        (
            str(place),
            tournament.plan.entrants[each],
            str(of[each]),
            *map(str, (by[each].victories, by[each].bouts, by[each].index, by[each].scored)),
        )
        for place, each in enumerate(ranking(tournament), start=1)
    ]
    return lines(visit, "ranking", heads, rows)


def _tableau(visit: Visit, tournament: Tournament, rounds: Sequence[Sequence[Meeting]]) -> Markup:
    columns = (tag("li", tag("ol", (_meeting(tournament, each) for each in meetings))) for meetings in rounds)
    title = tag("h2", visit.says(say("Direct elimination")))
    return tag("section", title, tag("ol", columns, class_="tableau", tabindex=0), class_="box")


def _meeting(tournament: Tournament, meeting: Meeting) -> Markup:
    def name(player: int | None) -> Markup:
        if player is None:
            return tag("span", "–")
        kind = "strong" if player == meeting.winner else "span"
        return tag(kind, tournament.plan.entrants[player])

    return tag("li", *(name(player) for player in meeting.players))


def _board(
    visit: Visit, tournament: Tournament, id: str, place: int, board: int, game: Game, offered: Ended | None
) -> Markup:
    one, other = game.pair
    first = tournament.plan.entrants[one]
    if other is None:
        return tag("p", visit.says(say("{name} has a bye", name=first)), class_="game quiet")
    second, ended = tournament.plan.entrants[other], game.ended
    names = tag("p", _mark_winner(first, ended, 0), " – ", _mark_winner(second, ended, 1), class_="pair")
    told = tag("p", *_result_parts(visit, ended), class_="quiet") if ended is not None else None
    controls = None
    if visit.token and place >= tournament.since:
        own = (("id", id), ("round", str(place)), ("board", str(board)), ("pair", pair_of(game.pair)))
        hidden = together(*(tag("input", type="hidden", name=name, value=value) for name, value in own))
        if ended is not None:
            controls = _form("clear", hidden, tag("button", visit.says(say("Undo the result")), class_="plain"))
        else:
            buttons = _buttons(visit, tournament, place, (first, second), offered)
            no_default = tag("button", disabled=True, hidden=True)  # Enter in a field says nothing of who won
            controls = _form("result", no_default, hidden, tag("div", buttons, class_="buttons"))
    return tag("div", names, told, controls, class_="box meeting")


def _mark_winner(name: str, ended: Ended | None, which: int) -> Markup:
    return tag("strong" if ended is not None and ended.winner == which else "span", name)


def _result_parts(visit: Visit, ended: Ended) -> Iterator[Markup | str]:
    if ended.points is not None:
        yield f"{ended.points[0]} : {ended.points[1]} "
    if ended.winner is None:
        yield f"{visit.says(say('a draw'))} "
    if ended.match:
        yield tag("a", visit.says(say("the match")), href=visit.to("match", id=ended.match))


def _buttons(
    visit: Visit, tournament: Tournament, place: int, names: tuple[str, str], offered: Ended | None
) -> Iterator[Markup]:
    if offered is not None:
        who = visit.says(say("a draw")) if offered.winner is None else names[offered.winner]
        text = visit.says(say("As played at a table: {who}", who=who))
        yield tag("button", text, name="match", value=offered.match, class_="plain offered")
    if tournament.plan.kind is Kind.POOLS:
        for which, name in enumerate(names):
            label = visit.says(say("{name}'s hits", name=name))
            box = tag("input", name=f"points{which}", type="number", min=0, max=99, inputmode="numeric")
            yield tag("label", tag("small", label), box)
    for which, name in enumerate(names):
        yield tag("button", visit.says(say("{name} won", name=name)), name="winner", value=which, class_="plain")
    if not decides(tournament, place):
        yield tag("button", visit.says(say("A draw")), name="winner", value="draw", class_="plain")
