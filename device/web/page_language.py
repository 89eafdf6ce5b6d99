"""Chooses a page's language: its own choice, the table's, or the browser's."""

from __future__ import annotations

from collections.abc import Iterator

from device.locale import LANGUAGES

HANT = ("hant", "tw", "hk", "mo")
"""Scripts and regions with traditional characters."""


def choose_language(asked: str | None, evening: str | None, accepted: str) -> str:
    """Return a language. asked: from the address. evening: the table's, or None. accepted: Accept-Language."""
    wanted = (asked or "").replace("-", "_")
    if wanted in LANGUAGES:
        return wanted
    return evening or next(_accepted_languages(accepted), LANGUAGES[0])


def tag(language: str) -> str:
    """Return a BCP 47 language tag."""
    return language.replace("_", "-")


def _accepted_languages(accepted: str) -> Iterator[str]:
    ranges = [each.partition(";") for each in accepted.split(",")]
    dearest = sorted(ranges, key=lambda each: _weight(each[2]), reverse=True)
    for name, _, weight in dearest:
        language = _ours(name.strip().lower())
        if language is not None and _weight(weight) > 0:
            yield language


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def _ours(name: str) -> str | None:
    primary, *rest = name.split("-")
    if primary == "zh":
        return "zh_Hant" if set(rest) & set(HANT) and "hans" not in rest else "zh_Hans"
    return primary if primary in LANGUAGES else None
