"""The names of the cards, for people."""

from __future__ import annotations

from engine.text import Text, meant, say

CARDS: dict[str, Text] = {
    "excuse": say("The Excuse"),
    "ace-of-moons": say("Ace of Moons"),
    "ace-of-suns": say("Ace of Suns"),
    "ace-of-waves": say("Ace of Waves"),
    "ace-of-leaves": say("Ace of Leaves"),
    "ace-of-wyrms": say("Ace of Wyrms"),
    "ace-of-knots": say("Ace of Knots"),
    "author": say("The Author"),
    "desert": say("The Desert"),
    "origin": say("The Origin"),
    "journey": say("The Journey"),
    "painter": say("The Painter"),
    "savage": say("The Savage"),
    "mountain": say("The Mountain"),
    "sailor": say("The Sailor"),
    "battle": say("The Battle"),
    "forest": say("The Forest"),
    "discovery": say("The Discovery"),
    "soldier": say("The Soldier"),
    "lunatic": say("The Lunatic"),
    "penitent": say("The Penitent"),
    "market": say("The Market"),
    "chance-meeting": say("The Chance Meeting"),
    "castle": say("The Castle"),
    "cave": say("The Cave"),
    "diplomat": say("The Diplomat"),
    "mill": say("The Mill"),
    "betrayal": say("The Betrayal"),
    "pact": say("The Pact"),
    "darkness": say("The Darkness"),
    "merchant": say("The Merchant"),
    "harvest": say("The Harvest"),
    "watchman": say("The Watchman"),
    "light-keeper": say("The Light Keeper"),
    "borderland": say("The Borderland"),
    "consul": say("The Consul"),
    "rite": say("The Rite"),
    "island": say("The Island"),
    "window": say("The Window"),
    "huntress": say("The Huntress"),
    "bard": say("The Bard"),
    "sea": say("The Sea"),
    "end": say("The End"),
    "calamity": say("The Calamity"),
    "windfall": say("The Windfall"),
}
"""Every card of the extended Decktet by its id."""

SUITS: dict[str, Text] = {
    "moons": say("Moons"),
    "suns": say("Suns"),
    "waves": say("Waves"),
    "leaves": say("Leaves"),
    "wyrms": say("Wyrms"),
    "knots": say("Knots"),
}

SHIELD = meant("a spell", "Shield")

EFFECTS: dict[str, Text] = {
    "cold-ward": say("Cold Ward"),
    "heat-ward": say("Heat Ward"),
    "shield": SHIELD,
    "countered": say("Countered"),
    "haste": say("Haste"),
    "invisible": say("Invisible"),
    "confused": say("Confused"),
}

SPELLS: dict[str, Text] = {
    "cold-ward": say("Cold Ward"),
    "heat-ward": say("Heat Ward"),
    "heal": say("Heal"),
    "shield": SHIELD,
    "fireball": say("Fireball"),
    "ice-bolt": say("Ice Bolt"),
    "drain": say("Drain"),
    "jab": say("Jab"),
    "haste": say("Haste"),
    "invisibility": say("Invisibility"),
    "forgetfulness": say("Forgetfulness"),
    "confusion": say("Confusion"),
    "counter": say("Counter Spell"),
    "mirror": say("Magic Mirror"),
}


def listed(cards: tuple[str, ...]) -> Text:
    """Cards by name, joined; "nothing" if there are none."""
    if not cards:
        return say("nothing")
    if len(cards) == 1:
        return CARDS[cards[0]]
    return say("{first}, {rest}", first=CARDS[cards[0]], rest=listed(cards[1:]))
