"""The homes of clauses and actions, on a game of a few lines: cut by verb, and cut in rooms."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tools import homes

BY_VERB = {
    "__init__.py": "",
    "actions.py": """
        '''What can be done (C1).'''
        class Move: ...
        class Castle: ...
        class Resign: ...
        Quiet = "Move | Castle"
        Action = "Quiet | Resign"
    """,
    "judge.py": """
        from engine.chess.actions import Castle, Move
        C3 = "no clause: C33"
        def judge(action): return Breach("C1", f"{C3} against C2a") if isinstance(action, Move) else Castle
    """,
    "apply.py": """
        from engine.chess import actions
        def apply(action): return isinstance(action, actions.Move)  # C1, and Castle is only a word here
    """,
}
ROOMS = {
    "__init__.py": "from engine.chess.move import Move as Walk",
    "move.py": """
        from engine.rules import Action
        class Quiet(Action[State]): ...
        class Move(Quiet):
            '''C1, C2a'''
    """,
    "castle.py": """
        from engine import rules
        from .move import Quiet
        class Castle(Quiet): ...
        class Resign(rules.Action): ...
    """,
    "game.py": """
        import engine.chess.castle
        from engine.chess import Walk
        ACTIONS = (Walk, engine.chess.castle.Castle)
    """,
}


def surveyed(root: Path, files: dict[str, str], **excepted: str) -> homes.Game:
    folder = root / "engine" / "chess"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(textwrap.dedent(text))
    return homes.survey(root, {"chess": ["C1", "C2a", "C3"], "draughts": ["D1"]}, {"chess": excepted})["chess"]


def test_a_game_cut_by_verb(tmp_path: Path) -> None:
    game = surveyed(tmp_path, BY_VERB)
    assert game.clauses == {
        "C1": ["engine/chess/actions.py", "engine/chess/apply.py", "engine/chess/judge.py"],
        "C2a": ["engine/chess/judge.py"],
    }
    assert game.actions == {
        "Castle": ["engine/chess/judge.py"],
        "Move": ["engine/chess/apply.py", "engine/chess/judge.py"],
        "Resign": [],
    }
    assert (game.one, game.two, game.more, game.strangers, game.files) == (1, 0, 1, 1.0, 4)
    assert homes.sizes(tmp_path) == {"core": (4, sum(textwrap.dedent(text).count("\n") for text in BY_VERB.values()))}


def test_a_game_cut_in_rooms(tmp_path: Path) -> None:
    game = surveyed(tmp_path, ROOMS)
    assert game.actions == {
        "Castle": ["engine/chess/game.py"],
        "Move": ["engine/chess/__init__.py", "engine/chess/game.py"],
        "Resign": [],
    }
    assert (game.one, game.two, game.more) == (2, 0, 0)


@pytest.mark.parametrize("figure", homes.KEPT)
def test_no_figure_may_get_worse(tmp_path: Path, figure: str) -> None:
    game = surveyed(tmp_path, BY_VERB | {"more.py": "# C2a"})
    assert game.figures() == {"two": 1, "more": 1, "strangers": 1.0, "files": 5}
    assert list(homes.worse({"chess": game}, {"chess": game.figures()})) == []
    less = game.figures() | {figure: 0.5}
    assert list(homes.worse({"chess": game}, {"chess": less})) == [
        f"chess: {figure} is {game.figures()[figure]}, and may be 0.5 at most"
    ]


def test_an_exception_does_not_count_and_must_be_one(tmp_path: Path) -> None:
    game = surveyed(tmp_path, BY_VERB, C1="the reference card states it", C2a="none")
    assert (game.one, game.more) == (0, 0)
    assert list(homes.worse({"chess": game}, {"chess": game.figures()})) == [
        "chess: C2a is an exception, but has one home"
    ]


def test_figures_are_lowered_and_never_raised(tmp_path: Path) -> None:
    game = surveyed(tmp_path, BY_VERB)
    text = "# why\n\n[most]\nchess = { two = 3, more = 0, strangers = 2.5, files = 9 }\ngo = { two = 1 }\n"
    assert homes.lower_figures(text, {"chess": game}) == (
        "# why\n\n[most]\nchess = { two = 0, more = 0, strangers = 1.0, files = 4 }\ngo = { two = 1 }\n"
    )


def test_the_list_names_what_has_several_homes(tmp_path: Path) -> None:
    game = surveyed(tmp_path, BY_VERB)
    assert list(homes.lines(tmp_path, {"chess": game}, lists=True))[:5] == [
        "  C1 in 3: actions.py apply.py judge.py",
        "  Move named in 2: apply.py judge.py",
        "  Castle named in 1: judge.py",
        "  Resign named in 0: ",
        "chess: 2 clauses named: 50% in one file, 50% in more than two (1); 0 exceptions",
    ]
