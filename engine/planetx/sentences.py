"""Facts as sentences. Each part that a language may inflect is a message of its own."""

from __future__ import annotations

from engine.planetx.facts import ABOUT_X, Fact, kinds_of
from engine.planetx.names import NAMES, PLURALS, TOPICS, title_of
from engine.text import Text, say

_SOME = {
    "A": say("At least one asteroid"),
    "C": say("At least one comet"),
    "D": say("At least one dwarf planet"),
    "E": say("At least one truly empty sector"),
    "G": say("At least one gas cloud"),
    "X": say("Planet X"),
}
_EVERY = {
    "A": say("Every asteroid"),
    "C": say("Every comet"),
    "D": say("Every dwarf planet"),
    "E": say("Every truly empty sector"),
    "G": say("Every gas cloud"),
    "X": say("Planet X"),
}
_NO = {
    "A": say("No asteroid"),
    "C": say("No comet"),
    "D": say("No dwarf planet"),
    "E": say("No truly empty sector"),
    "G": say("No gas cloud"),
    "X": say("No Planet X"),
}
_ADJACENT = {
    "A": say("adjacent to an asteroid"),
    "C": say("adjacent to a comet"),
    "D": say("adjacent to a dwarf planet"),
    "E": say("adjacent to a truly empty sector"),
    "G": say("adjacent to a gas cloud"),
    "X": say("adjacent to Planet X"),
}
_OPPOSITE = {
    "A": say("opposite an asteroid"),
    "C": say("opposite a comet"),
    "D": say("opposite a dwarf planet"),
    "E": say("opposite a truly empty sector"),
    "G": say("opposite a gas cloud"),
    "X": say("opposite Planet X"),
}
_OF = {
    "A": say("of an asteroid"),
    "C": say("of a comet"),
    "D": say("of a dwarf planet"),
    "E": say("of a truly empty sector"),
    "G": say("of a gas cloud"),
    "X": say("of Planet X"),
}
_ALL = {
    "A": say("All asteroids"),
    "C": say("All comets"),
    "D": say("All dwarf planets"),
    "E": say("All truly empty sectors"),
    "G": say("All gas clouds"),
    "X": say("Planet X"),
}
_OTHER = {
    "A": say("of another asteroid"),
    "C": say("of another comet"),
    "D": say("of another dwarf planet"),
    "E": say("of another truly empty sector"),
    "G": say("of another gas cloud"),
    "X": say("of another Planet X"),
}


def title(fact: Fact) -> Text:
    """What a fact is about: its kinds."""
    return title_of(kinds_of(fact))


def sentence(fact: Fact) -> Text:
    """A research, conference or starting fact as a sentence."""
    if fact.form in ABOUT_X:
        return _about_x(fact)
    if fact.form in ("not_in_sector", "in_sector"):
        return _of_sector(fact)
    return _of_one(fact) if fact.q is None else _of_two(fact)


def answer_text(fact: Fact) -> Text:
    """What a player is told in answer to an action, and reads again later (X37)."""
    if fact.form == "survey":
        count, first, last = fact.n or 0, fact.sector or 0, fact.last or 0
        objects = PLURALS[fact.p or ""]
        if first == last:
            return say("Sector {sector}, {objects}: {count}.", sector=first, objects=objects, count=count)
        return say(
            "Sectors {first} to {last}, {objects}: {count}.", first=first, last=last, objects=objects, count=count
        )
    if fact.form == "target":
        return say("Sector {sector} shows: {object}.", sector=fact.sector or 0, object=NAMES[fact.p or ""])
    if fact.form in ("located", "not_located"):
        before, after, sector = NAMES[fact.p or ""], NAMES[fact.q or ""], fact.sector or 0
        if fact.form == "located":
            return say("Right: {before}, Planet X in {sector}, {after}.", before=before, sector=sector, after=after)
        return say("Not right: {before}, Planet X in {sector}, {after}.", before=before, sector=sector, after=after)
    return say("{topic}: {fact}", topic=TOPICS.get(fact.id, fact.id), fact=sentence(fact))


def _of_two(fact: Fact) -> Text:
    """X41."""
    quantity, _, relation = fact.form.partition("_")
    q = fact.q or ""
    place = {"adjacent": _ADJACENT[q], "opposite": _OPPOSITE[q], "within": _range(fact.n, _OF[q])}[relation]
    if quantity == "some":
        return say("{some} is {place}.", some=_SOME[fact.p or ""], place=place)
    if quantity == "every":
        return say("{every} is {place}.", every=_EVERY[fact.p or ""], place=place)
    return say("{none} is {place}.", none=_NO[fact.p or ""], place=place)


def _of_one(fact: Fact) -> Text:
    """X42."""
    p = fact.p or ""
    if fact.form == "band":
        return say("{all} are in a band of {n} sectors or less.", all=_ALL[p], n=fact.n or 0)
    if fact.form == "consecutive" and fact.n is None:
        return say("{all} are in consecutive sectors.", all=_ALL[p])
    if fact.form == "consecutive":
        return say("{n} {objects} are in consecutive sectors.", n=fact.n or 0, objects=PLURALS[p])
    if fact.form == "none_within_self":
        return say("{none} is {place}.", none=_NO[p], place=_range(fact.n, _OTHER[p]))
    return say("{some} is opposite another of its kind.", some=_SOME[p])


def _about_x(fact: Fact) -> Text:
    """X44."""
    p = fact.p or ""
    if fact.form == "x_within":
        return say("Planet X is {place}.", place=_range(fact.n, _OF[p]))
    not_there = {
        "x_not_within": _range(fact.n, _OF[p]),
        "x_not_adjacent": _ADJACENT[p],
        "x_not_opposite": _OPPOSITE[p],
    }[fact.form]
    return say("Planet X is not {place}.", place=not_there)


def _of_sector(fact: Fact) -> Text:
    """X14, and what a review made public (X54)."""
    sector = fact.sector or 0
    if fact.form == "in_sector":
        return say("Sector {sector} is: {object}.", sector=sector, object=NAMES[fact.p or ""])
    sentences = {
        "A": say("Sector {sector} is not an asteroid.", sector=sector),
        "C": say("Sector {sector} is not a comet.", sector=sector),
        "D": say("Sector {sector} is not a dwarf planet.", sector=sector),
        "E": say("Sector {sector} is not truly empty.", sector=sector),
        "G": say("Sector {sector} is not a gas cloud.", sector=sector),
        "X": say("Sector {sector} is not Planet X.", sector=sector),
    }
    return sentences[fact.p or ""]


def _range(n: int | None, of: Text) -> Text:
    return say("within {n} sectors {of}", n=n or 0, of=of)
