"""The web app's files: whole, as they were published, in every language, and without a call to anywhere else."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec
import pytest

from device.locale import LANGUAGES, translate
from device.session.names import COLOURS
from device.web.html_templates import tag
from device.web.words import INSTEAD
from referee_phones.app import STATIC, Demo, art, files, own
from referee_phones.words import WORDS

PUBLISHED = {
    "preact.js": "bdcbd9abdf2c77c5c45326eab42191e949222d479d0d5f69467387a77040cb55",
    "htm.js": "ab33dd3f38059b9be4d5f5350128eefb2356639c4e0bbe9d9e8b3ba75847e9e4",
    "uqr.js": "7f0e61c2f13bb3724edee7bfb876e13c54ac9ee4fcfa283c9fa93cfb1241c325",
    "nacl.js": "3ec535c004aeeb225785d8e93fb33bf99f52e399bd7dfc01969b5629baea5131",
    "sha256.js": "77c6fc4b685c022977307998b35c3a9e2fbeb76f3d59d3c68984752831e35d91",
}
NOTICE = Path(__file__).parents[3] / "NOTICE"
LATIN = re.compile(r"[A-Za-z]{2,}")
SAYS = re.compile(r"\bsay\(([^()]*)")
KEY = re.compile(r'"([a-z-]+)"')


def own_modules() -> dict[str, str]:
    return {path.name: path.read_text() for path in STATIC.glob("*.js")}


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_others_made_is_as_they_published_it_and_named_in_the_notice(name: str) -> None:
    data = (STATIC / "vendor" / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == PUBLISHED[name]
    assert re.search(rf"\b{name} is \S+ of \S+ [0-9.]+[0-9]", NOTICE.read_text())


def test_nothing_else_is_vendored() -> None:
    assert {path.name for path in (STATIC / "vendor").iterdir()} == set(PUBLISHED)


def test_every_module_that_is_imported_is_served() -> None:
    served = files()
    for name, text in own_modules().items():
        for asked in re.findall(r'from "\./([^"]+)"', text):
            assert f"/{asked}" in served, f"{name} imports {asked}"


def test_the_page_loads_what_is_served_and_runs_no_script_of_its_own() -> None:
    page = files()["/"].body.decode()
    asked = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert asked
    assert all(f"/{each}" in files() for each in asked)
    assert not re.findall(r"<script[^>]*>[^<]|style=|onclick", page)


def test_a_page_whose_program_does_not_run_says_so_in_every_language() -> None:
    """It is written there, and not put in by anybody: a program that cannot be read chooses no language."""
    page = re.sub(r">\s+<", "><", files()["/"].body.decode())
    said = "".join(f'<p lang="{tag(each)}">{translate(INSTEAD, each)}</p>' for each in LANGUAGES)
    assert f"<noscript>{said}</noscript>" in page
    assert f'<div id="instead" role="alert">{said}</div>' in page
    for browser in ("Chrome 85", "Firefox 79", "Safari 14"):
        assert all(browser in translate(INSTEAD, each) for each in LANGUAGES)


NEWER = re.compile(
    r"\.(?:at|findLast|findLastIndex|flat\(Infinity|toSorted|toReversed|toSpliced|with|groupBy|hasOwn)\("
    r"|\bstructuredClone\b|\(\?<[=!]|\bstatic \{|#\w+ in |Promise\.(?:any|withResolvers)|\bregexp?/v\b|^await ",
    re.MULTILINE,
)
"""What came to browsers after those that the page names: a module with new words in it is not read at all, and a method
that is missing ends the program."""


def test_no_module_needs_a_newer_browser_than_the_page_names() -> None:
    modules = own_modules() | {path.name: path.read_text() for path in (STATIC / "vendor").glob("*.js")}
    assert {name: found for name, text in modules.items() if (found := NEWER.findall(text))} == {}


def test_no_file_of_ours_names_another_host() -> None:
    for name, text in own_modules().items():
        assert not re.findall(r"https?://(?!www\.w3\.org)\w", text), name


@pytest.mark.parametrize("audience", ["a", "d", "table"])
def test_an_audience_is_told_who_it_is_and_which_languages_there_are(audience: str) -> None:
    about = msgspec.json.decode(own(audience, "ru")["/app.json"].body)
    assert (about["audience"], about["language"]) == (audience, "ru")
    assert [each["code"] for each in about["languages"]] == list(LANGUAGES)


@pytest.mark.parametrize("audience", ["a", "table"])
def test_every_page_of_a_virtual_table_is_told_the_language_that_it_was_given(audience: str) -> None:
    about = msgspec.json.decode(own(audience, "ru", Demo({}, scan=False, beside={}, language="ru"))["/app.json"].body)
    assert about["given"] == "ru"


def test_the_modules_ask_for_words_that_there_are_and_for_all_of_them() -> None:
    calls = "".join(call for text in own_modules().values() for call in SAYS.findall(text))
    looks = {f"look-{each}" for each in ("auto", "light", "dark")}
    links = {"connecting", "live", "lost"}
    colours = {f"colour-{each}" for each in COLOURS}
    assert set(KEY.findall(calls)) | looks | links | colours == set(WORDS)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_word_is_said_in_every_language(language: str) -> None:
    said = {key: re.sub(r"\{\w+\}", "", translate(text, language)) for key, text in WORDS.items()}
    names = {"QR", "SD", "WebSocket", "referee", "play"}
    assert {key: word for key, word in said.items() if set(LATIN.findall(word)) - names} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_a_language_are_those_and_the_titles_of_cards(language: str) -> None:
    data = msgspec.json.decode(files()[f"/words/{language}.json"].body)
    assert data["words"].keys() == WORDS.keys()
    assert data["titles"].keys() >= {"excuse", "ace-of-moons"}


def test_every_zone_of_every_mat_has_a_set_whose_pieces_can_be_drawn() -> None:
    drawn = art()
    for mat in drawn["mats"].values():
        for name in mat["sets"].values():
            found = drawn["sets"][name]
            assert found["drawings"] or found["cards"], name
            assert len(found["size"]) == 2
