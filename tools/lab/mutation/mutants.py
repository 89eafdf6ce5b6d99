"""Mutants of the engine: mutmut's changes of one function each, and how one takes the place of the original.

Which changes there are is mutmut's; how they are tried is not. mutmut calls every function of the engine through a
switch, which makes the engine several times slower, and knows which function a test calls, not which line.
"""

from __future__ import annotations
import __future__

import ast
import gc
import importlib
import inspect
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # they are read in by whoever tries mutants: it takes a second
    import libcst
    from mutmut.mutation.file_mutation import Mutation


@dataclass(frozen=True)
class Mutant:
    """name: the function and which of its mutants. owner: the class of a method, or nothing. line: where the original
    begins. source: the whole file with the change. lines: those of the statement that is changed, in the original.
    """

    name: str
    path: str
    owner: str
    function: str
    line: int
    source: str
    lines: list[int]


@dataclass(frozen=True)
class _Change:
    path: str
    module: libcst.Module
    mutation: Mutation
    name: str
    owner: str
    function: str


def draw_mutants(root: Path, sample: int, seed: int, pattern: str = "") -> tuple[int, list[Mutant]]:
    """How many mutants of `root`/engine have a name that `pattern` matches, and a random sample of them."""
    every = [change for path in sorted(root.glob("engine/**/*.py")) for change in _changes(root, path, pattern)]
    chosen = random.Random(seed).sample(every, min(sample, len(every)))
    return len(every), [_mutant(change.module.code, change) for change in chosen]


def _changes(root: Path, path: Path, pattern: str) -> Iterator[_Change]:
    from mutmut.mutation.file_mutation import create_mutations

    inside = path.relative_to(root)
    module, mutations, *_ = create_mutations(str(inside), path.read_text("utf-8"))
    places = {id(node): (owner, node.name.value) for owner, node in _functions(module)}
    seen: Counter[str] = Counter()
    dotted = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
    for mutation in mutations:
        place = places.get(id(mutation.contained_by_top_level_function))
        if place is None:
            continue
        function = ".".join(part for part in (dotted, *place) if part)
        seen[function] += 1
        name = f"{function}:{seen[function]}"
        if re.search(pattern, name):
            yield _Change(str(inside), module, mutation, name, *place)


def _functions(module: libcst.Module) -> Iterator[tuple[str, libcst.FunctionDef]]:
    import libcst

    for statement in module.body:
        if isinstance(statement, libcst.FunctionDef):
            yield "", statement
        elif isinstance(statement, libcst.ClassDef):
            yield from (
                (statement.name.value, node) for node in statement.body.body if isinstance(node, libcst.FunctionDef)
            )


def _mutant(original: str, change: _Change) -> Mutant:
    """The change as text, and where it stands."""
    new = cast(
        "libcst.Module",
        change.module.deep_replace(change.mutation.original_node, change.mutation.mutated_node),
    )
    changed = _first_difference(original.splitlines(), new.code.splitlines())
    node = _function(ast.parse(original), change.owner, change.function, changed)
    return Mutant(
        change.name, change.path, change.owner, change.function, _begins(node), new.code, _statement(node, changed)
    )


def _first_difference(before: Sequence[str], after: Sequence[str]) -> int:
    pairs = zip(before, after, strict=False)
    return next((number for number, (old, new) in enumerate(pairs, 1) if old != new), min(len(before), len(after)))


def _function(tree: ast.Module, owner: str, name: str, line: int) -> ast.FunctionDef:
    """The function or method that stands around a line."""
    bodies = (
        [tree.body] if not owner else [n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner]
    )
    return next(
        node
        for body in bodies
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name == name and _begins(node) <= line <= (node.end_lineno or 0)
    )


def _begins(function: ast.FunctionDef) -> int:
    """The first line, as a code object has it: that of the first decorator."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _statement(function: ast.FunctionDef, line: int) -> list[int]:
    """The lines of the innermost statement or case around `line`; of one with a body, those before the body."""
    around = [span for node in ast.walk(function) for span in _spans(node) if span[0] <= line <= span[2]]
    begins, header, _ = max(around)
    if begins == function.lineno:  # a default value: whatever the function does
        return list(range(function.body[0].lineno, (function.end_lineno or 0) + 1))
    return list(range(begins, header + 1))


def _spans(node: ast.AST) -> Iterator[tuple[int, int, int]]:
    """Where a statement begins, where it ends without its body, and where it ends."""
    match node:
        case ast.Match():
            yield node.lineno, max(node.lineno, node.cases[0].pattern.lineno - 1), node.end_lineno or 0
        case ast.match_case():
            begins = node.pattern.lineno
            yield begins, max(begins, node.body[0].lineno - 1), node.body[-1].end_lineno or 0
        case ast.stmt() | ast.ExceptHandler():
            end = node.end_lineno or 0
            body = getattr(node, "body", None)
            yield node.lineno, max(node.lineno, body[0].lineno - 1) if isinstance(body, list) else end, end


def install(new: Mutant) -> None:
    """Puts the mutant's code into the function of the engine, wherever that is referred to from."""
    module = importlib.import_module(".".join(Path(new.path).with_suffix("").parts).removesuffix(".__init__"))
    holder = vars(vars(module)[new.owner]) if new.owner else vars(module)
    old = inspect.unwrap(getattr(holder[new.function], "__func__", holder[new.function]))
    assert isinstance(old, FunctionType)
    assert old.__code__.co_firstlineno == new.line, f"{new.name}: the engine is not the one that it was drawn from"
    mutated = _compile(new, dict(vars(module)))
    _replace_inner(old.__code__, mutated.__code__)
    old.__code__, old.__defaults__, old.__kwdefaults__ = mutated.__code__, mutated.__defaults__, mutated.__kwdefaults__


def _replace_inner(old: CodeType, new: CodeType) -> None:
    """The same for functions that it returned already, such as those that the engine makes while it is imported."""
    if not _inner(old) or len(_inner(old)) != len(_inner(new)):
        return
    changed = dict(zip(_inner(old), _inner(new), strict=True))
    gc.unfreeze()
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__ in changed:
            after = changed[thing.__code__]
            if after.co_freevars == thing.__code__.co_freevars:
                thing.__code__ = after
    for before, after in changed.items():
        _replace_inner(before, after)


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _compile(new: Mutant, names: dict[str, object]) -> FunctionType:
    node = _function(ast.parse(new.source), new.owner, new.function, new.line)
    node.decorator_list = []
    body: list[ast.stmt] = [node]
    if new.owner:  # where a method's own names and its super() are found
        body = [ast.copy_location(ast.ClassDef(new.owner, [], [], body, []), node)]
    flags = __future__.annotations.compiler_flag
    exec(compile(ast.fix_missing_locations(ast.Module(body, [])), new.path, "exec", flags), names)
    made = vars(names[new.owner])[new.function] if new.owner else names[new.function]
    assert isinstance(made, FunctionType)
    return made
