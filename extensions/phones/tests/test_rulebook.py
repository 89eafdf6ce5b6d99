"""The rules as data for the pages: every clause of docs/rules, in plain words."""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path

import msgspec
import pytest

from device import games
from device.locale import LANGUAGES
from device.resources import clauses_of
from referee_phones import app
from referee_phones.app import files, rulebooks, words
from referee_phones.rulebook import Block, Rulebook, Section, read
from tools.clauses import clauses

ROOT = Path(__file__).parents[3]
TRANSLATED = tuple(language for language in LANGUAGES if language != "en")
NUMBER = re.compile(r"\d+|[A-Z]\d+[a-z]?")
GAMES = ("fence", "planetx", "runes", "tellstones")
MARKDOWN = """# A game [zh]

Restated from [a page](http://example.com/x).

Second paragraph
of two lines.

## 1. Setup
- P1 Two **players**, see `config`. [zh][ru] [derived: nobody says so]
- P2: A stone [physical] lies there,
  and stays. [ambiguous] Then more [zh].
  - P2a It moves [fan].
| a | b [zh] |
|---|---|
| 1 | 2 |

## 2. Empty
### 2.1 Notes
1. Three are allowed. [contradiction]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    return path


def test_rules_are_read_in_sections_of_clauses_paragraphs_and_tables(file: Path) -> None:
    assert read(file).sections == (
        Section("", (Block(text="Restated from a page."), Block(text="Second paragraph of two lines."))),
        Section(
            "1. Setup",
            (
                Block("P1", "Two players, see config."),
                Block("P2", "A stone [physical] lies there, and stays. Then more."),
                Block("P2a", "It moves."),
                Block(rows=(("a", "b"), ("1", "2"))),
            ),
        ),
        Section("2.1 Notes", (Block(text="Three are allowed."),)),
    )


def test_a_bold_word_of_a_clause_is_a_term_that_it_explains(file: Path) -> None:
    assert read(file).terms == {"players": "P1"}


@pytest.mark.parametrize(
    ("language", "clause", "said", "forms"),
    [
        ("ru", "**Скользящий укол** бьёт.", "После Скользящего укола и Скользящим уколом", 2),
        ("ru", "**Обмен** карт.", "обмен не игровое действие; Обмена нет", 1),
        ("en", "**Straight Thrust** hits.", "Two Straight Thrusts; a straight line", 1),
        ("zh_Hans", "**直刺**", "直刺", 0),
    ],
)
def test_a_term_is_known_in_its_other_forms(tmp_path: Path, language: str, clause: str, said: str, forms: int) -> None:
    path = tmp_path / "game.md"
    path.write_text(f"- P1 {clause}\n- P2 {said}\n", encoding="utf-8")
    found = read(path, language=language).forms
    assert len(found) == forms
    assert all(form in said and of == "P1" for form, of in found.items())


@pytest.mark.parametrize("game", GAMES)
def test_every_term_is_in_the_clause_that_explains_it(game: str) -> None:
    path = clauses_of(game)
    assert path is not None
    rules = read(path)
    texts = {block.clause: block.text for section in rules.sections for block in section.blocks}
    assert len(rules.terms) > 4
    assert [term for term, clause in rules.terms.items() if term not in texts[clause]] == []


def test_rules_may_be_a_list_alone(file: Path) -> None:
    file.write_text("- P1 Two play.\n- P2 One hides.\n", encoding="utf-8")
    assert read(file).clauses() == ("P1", "P2")


@pytest.mark.parametrize("game", GAMES)
def test_no_clause_is_lost(game: str) -> None:
    path = clauses_of(game)
    assert path is not None
    found = read(path).clauses()
    assert list(found) == clauses(path)
    assert len(found) == len(set(found)) > 50


@pytest.mark.parametrize("game", GAMES)
def test_no_clause_leaves_a_ruling_to_its_mark(game: str) -> None:
    path = clauses_of(game)
    assert path is not None
    shown = [
        text
        for section in read(path).sections
        for block in section.blocks
        for text in (block.text, *sum(block.rows, ()))
    ]
    assert [text for text in shown if "->" in text or "Ruling" in text or "[zh" in text] == []


@pytest.mark.parametrize("game", GAMES)
def test_no_line_is_lost(game: str) -> None:
    path = clauses_of(game)
    assert path is not None
    blocks = [block for section in read(path).sections for block in section.blocks]
    shown = "\n".join(text for block in blocks for text in (block.text, *(" ".join(row) for row in block.rows)))
    unmarked = [line for line in path.read_text(encoding="utf-8").splitlines() if not set("#[]`|-*") & set(line[:1])]
    unmarked = [line.strip() for line in unmarked if line.strip() and not set("[]`") & set(line)]
    assert unmarked
    assert [line for line in unmarked if line.partition(". ")[2] not in shown] == []


@pytest.mark.parametrize("game", GAMES)
def test_every_clause_that_a_refusal_can_name_is_in_the_rules(game: str) -> None:
    letter = games.spec(game).clause_letter
    named = {
        node.value
        for path in (ROOT / "engine" / game).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value[:1] == letter and node.value[1:2].isdigit()
    }
    path = clauses_of(game)
    assert path is not None
    assert len(named) > 10
    assert named <= set(read(path).clauses())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_served_the_rules_of_every_game(language: str) -> None:
    served = files()
    for game in GAMES:
        found = msgspec.json.decode(served[f"/rules/{language}/{game}.json"].body)
        assert found["language"] == language
        assert found["sections"], game
    assert rulebooks(language)["tellstones"].pieces == (
        "crown",
        "shield",
        "sword",
        "flag",
        "knight",
        "hammer",
        "scales",
    )


def test_rules_that_are_not_translated_are_shown_in_english(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(app, "clauses_of", lambda game, language="en": file if language == "en" else None)
    assert {rules.language for rules in rulebooks("ru").values()} == {"en"}


def clause_texts(rules: Rulebook) -> list[tuple[str, tuple[str, ...]]]:
    """Return each section's blocks: clause, and texts."""
    return [
        (block.clause, (block.text, *sum(block.rows, ()))) for section in rules.sections for block in section.blocks
    ]


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("game", GAMES)
def test_a_translation_has_the_clauses_terms_and_numbers_of_its_source(game: str, language: str) -> None:
    english, translated = rulebooks()[game], rulebooks(language)[game]
    sizes = [(len(section.blocks), bool(section.title)) for section in english.sections]
    assert [(len(section.blocks), bool(section.title)) for section in translated.sections] == sizes
    assert sorted(translated.terms.values()) == sorted(english.terms.values())
    for (clause, texts), (own, said) in zip(clause_texts(english), clause_texts(translated), strict=True):
        assert own == clause
        assert len(said) == len(texts), clause
        assert sorted(NUMBER.findall(" ".join(said))) == sorted(NUMBER.findall(" ".join(texts))), clause


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("game", GAMES)
def test_a_translation_is_of_the_present_rules(game: str, language: str) -> None:
    """Whoever changes a clause brings it over to each translation, and writes the new sum into its first line."""
    english, translated = clauses_of(game), clauses_of(game, language)
    assert english is not None
    assert translated is not None
    digest = hashlib.sha256(english.read_bytes()).hexdigest()[:12]
    first = translated.read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"<!-- Translates ../{english.name}, SHA-256 {digest} -->"


@pytest.mark.parametrize("language", LANGUAGES)
def test_drawn_pieces_and_games_have_names_in_every_language(language: str) -> None:
    found = words(language)
    assert found["games"].keys() == set(GAMES)
    for rules in rulebooks().values():
        assert set(rules.pieces) <= found["pieces"].keys()
    assert found["pieces"]["crown"] == {"en": "Crown", "ru": "корона"}.get(language, "王冠")
