"""Names of kinds, modes, seasons and levels: in notation, and as sentences' parts."""

from __future__ import annotations

from engine.text import Text, say

WORDS = {"A": "asteroid", "C": "comet", "D": "dwarf", "E": "empty", "G": "gas"}
"""The word of each kind that can be surveyed, named or submitted; Planet X has none (X31, X36)."""
KIND_OF_WORD = {word: kind for kind, word in WORDS.items()}

TOPICS = {letter: f"R{number}" for number, letter in enumerate("ABCDEF", 1)}
"""The word of each research topic: its letter (X40) would look like a seat."""
TOPIC_OF_WORD = {word: topic for topic, word in TOPICS.items()}

SEASONS = ("spring", "summer", "autumn", "winter")
LEVELS = ("youth", "beginner", "experienced", "genius")
FACTS_AT = {"youth": 12, "beginner": 8, "experienced": 4, "genius": 0}
"""How many starting facts a level gives: the first so many of one list (X13)."""

NAMES = {
    "A": say("asteroid"),
    "C": say("comet"),
    "D": say("dwarf planet"),
    "E": say("empty"),
    "G": say("gas cloud"),
    "X": say("Planet X"),
}
PLURALS = {
    "A": say("asteroids"),
    "C": say("comets"),
    "D": say("dwarf planets"),
    "E": say("empty sectors"),
    "G": say("gas clouds"),
    "X": say("Planet X"),
}
SEASON_NAMES = {
    "spring": say("spring"),
    "summer": say("summer"),
    "autumn": say("autumn"),
    "winter": say("winter"),
}
LEVEL_NAMES = {
    "youth": say("youth: 12 facts"),
    "beginner": say("beginner: 8 facts"),
    "experienced": say("experienced: 4 facts"),
    "genius": say("genius: no facts"),
}


def title_of(kinds: tuple[str, ...]) -> Text:
    """The public title of a topic: the one or two kinds that it is about (X40)."""
    if len(set(kinds)) == 1:
        return PLURALS[kinds[0]]
    first, second = sorted(set(kinds))
    return say("{first} and {second}", first=PLURALS[first], second=PLURALS[second])
