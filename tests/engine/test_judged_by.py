"""By which clauses an action is judged: what the public stream of a match names, and nothing that gives away more."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from engine.catalogue import complete
from engine.game import OptionValue
from engine.grammar import wander
from engine.rules import Action
from tools.clauses import ROOT
from tools.clauses import clauses as of_rules
from tools.tampering import GAMES, load_game

RULES = ROOT / "docs" / "rules"


def literal(kind: type[Action[Any]]) -> Iterator[str]:
    """The clauses that a class itself names where it refuses something."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(kind)))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Breach":
            named = node.args[0]
            if isinstance(named, ast.Constant):
                yield str(named.value)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", GAMES)
def test_every_action_names_the_clauses_that_it_refuses_by_and_they_are_those_of_the_rules(name: str) -> None:
    rules: Any = load_game(name).game
    clauses = set(of_rules(RULES / f"{name}.md"))
    for kind in rules.actions:
        assert kind.clauses, kind
        assert set(literal(kind)) <= set(kind.clauses), kind
        assert set(kind.clauses) <= clauses, kind


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "way"),
    [*((name, {}) for name in GAMES), ("runes", {"decision": "at-reveal"}), ("planetx", {"marks": True})],
)
def test_what_looks_alike_to_all_is_judged_by_the_same_clauses(name: str, way: dict[str, OptionValue]) -> None:
    """Else the clauses in the public stream would tell which of several hidden actions it was (law 5)."""
    found, game = 0, load_game(name).game
    for trial in range(6):
        rng = Random(f"clauses {name} {trial}")
        options = dict(complete(load_game(name).spec.options, {**load_game(name).spec.random_play, **way}))
        state = game.setup(options, ("a", "b"), rng.getrandbits(60))
        for _ in range(40):
            seen: dict[tuple[Any, ...], set[tuple[str, ...]]] = {}
            actors = sorted(game.actors(state))
            for seat in actors * 6:
                words = wander(game, state, seat, rng.randrange)
                after, events = game.apply(state, seat, game.read(state, seat, words))
                told = tuple(str(event.text) for event in events if event.audience is None)
                shown = msgspec.json.encode(game.view(after, None).facts, order="deterministic")
                if told or game.view(after, None) != game.view(state, None):
                    seen.setdefault((told, shown), set()).add(game.clauses(state, seat, words))
            found += sum(map(len, seen.values()))
            assert all(len(judged) == 1 for judged in seen.values()), [told for told, _ in seen]
            if not actors:
                break
            seat = rng.choice(actors)
            state, _ = game.apply(state, seat, game.read(state, seat, wander(game, state, seat, rng.randrange)))
    assert found > 50
