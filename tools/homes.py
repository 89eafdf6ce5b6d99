"""Where the engine names a clause, and who names an action: `python tools/clauses.py --homes` (law 8: one home each).

Exactly:
- A file names a clause if the clause's id stands as a word of its own in a string (`Breach("T16", ...)`, a docstring,
  the literal part of an f-string) or in a comment. A range ("F80-F82") names its two ends. All files of engine/ count.
- An action class of a game is a class in the game's folder that is a member of a union called `Action` ("A | B",
  aliases within it resolved), or that derives, at any distance, from a class called `Action` or `Action[...]`, and from
  which no other class of the folder derives.
- A file of the game other than the class's own names it if it imports it under any name, by way of others or not, or
  reaches it as an attribute of a module that it imports.
- Files and lines of the core are the Python files of engine, vision and device; a game's files are those of its folder.

Exceptions and the figures that may not get worse stand in tests/clauses/homes.toml.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

CORE = ("engine", "vision", "device")
WORD = re.compile(r"\b[A-Z]\d+[a-z]?\b")
KEPT = ("two", "more", "strangers", "files")
"""The figures of a game that may not get worse."""


@dataclass(frozen=True)
class Game:
    """Where the clauses and the action classes of one game are named.

    clauses: clause -> the files that name it; files are paths from the repository's root, in order.
    excepted: clause -> why it may have more homes than one.
    actions: action class -> the files of the game, other than its own, that name it.
    files: how many files the game has.
    """

    clauses: dict[str, list[str]]
    excepted: dict[str, str]
    actions: dict[str, list[str]]
    files: int

    @property
    def counted(self) -> dict[str, list[str]]:
        """The clauses that code names, without the exceptions."""
        return {clause: where for clause, where in self.clauses.items() if clause not in self.excepted}

    @property
    def one(self) -> int:
        """How many clauses are named in one file."""
        return sum(len(where) == 1 for where in self.counted.values())

    @property
    def two(self) -> int:
        """How many clauses are named in exactly two files."""
        return sum(len(where) == 2 for where in self.counted.values())

    @property
    def more(self) -> int:
        """How many clauses are named in more than two files."""
        return sum(len(where) > 2 for where in self.counted.values())

    @property
    def strangers(self) -> float:
        """In how many files other than its own an action class is named: the mean, to one decimal."""
        return round(sum(map(len, self.actions.values())) / max(1, len(self.actions)), 1)

    def figures(self) -> dict[str, float]:
        """What may not get worse."""
        return {name: getattr(self, name) for name in KEPT}


def survey(
    root: Path, clauses: Mapping[str, Sequence[str]], excepted: Mapping[str, Mapping[str, str]]
) -> dict[str, Game]:
    """The homes of each game that has a folder in engine/.

    excepted: game -> clause -> reason.
    """
    engine = {path: path.read_text(encoding="utf-8") for path in sorted((root / "engine").rglob("*.py"))}
    words = {path.relative_to(root).as_posix(): set(_words(text)) for path, text in engine.items()}
    found = {}
    for game, ids in clauses.items():
        folder = root / "engine" / game
        named = {each: [path for path, here in words.items() if each in here] for each in ids}
        if folder.is_dir():
            package = _Package(root, {path: text for path, text in engine.items() if folder in path.parents})
            found[game] = Game(
                clauses={each: where for each, where in named.items() if where},
                excepted=dict(excepted.get(game, {})),
                actions=package.strangers(),
                files=len(package.texts),
            )
    return found


def sizes(root: Path) -> dict[str, tuple[int, int]]:
    """Return the number of Python files and of their lines: of the core, and of each extension by its name."""
    folders = {"core": [root / each for each in CORE]}
    folders |= {path.parent.name: [path] for path in sorted(root.glob("extensions/*/src"))}
    return {name: _size(path for each in inside for path in each.rglob("*.py")) for name, inside in folders.items()}


def _size(paths: Iterable[Path]) -> tuple[int, int]:
    counts = [path.read_text(encoding="utf-8").count("\n") for path in paths]
    return len(counts), sum(counts)


def worse(games: Mapping[str, Game], most: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What got worse than it was, and exceptions that are none: a sentence each."""
    for name, game in games.items():
        for figure, here in game.figures().items():
            allowed = most.get(name, {}).get(figure, 0)
            if here > allowed:
                yield f"{name}: {figure} is {here}, and may be {allowed} at most"
        for clause in game.excepted:
            if len(game.clauses.get(clause, ())) < 2:
                yield f"{name}: {clause} is an exception, but has one home"


def lines(root: Path, games: Mapping[str, Game], lists: bool) -> Iterator[str]:
    """The report as text: with `lists`, every clause and every action that has more homes than one, and which."""
    for name, game in games.items():
        if lists:
            yield from _list(name, game)
        yield f"{name}: {_shares(game.counted.values())}; {len(game.excepted)} exceptions"
        yield f"{name}: an action class is named in {game.strangers} files other than its own; {game.files} files"
    yield f"all games: {_shares(where for game in games.values() for where in game.counted.values())}"
    for name, (files, count) in sizes(root).items():
        yield f"{name}: {files} files, {count:,} lines"


def _list(name: str, game: Game) -> Iterator[str]:
    for clause, where in sorted(game.clauses.items(), key=lambda each: -len(each[1])):
        if len(where) > 1:
            reason = f" (an exception: {game.excepted[clause]})" if clause in game.excepted else ""
            yield f"  {clause} in {len(where)}{reason}: {' '.join(_short(name, path) for path in where)}"
    for cls, where in sorted(game.actions.items(), key=lambda each: -len(each[1])):
        yield f"  {cls} named in {len(where)}: {' '.join(_short(name, path) for path in where)}"


def _short(game: str, path: str) -> str:
    return path.removeprefix(f"engine/{game}/")


def _shares(named: Iterable[Sequence[str]]) -> str:
    counts = [len(where) for where in named]
    one, more = sum(n == 1 for n in counts), sum(n > 2 for n in counts)
    total = max(1, len(counts))
    return f"{len(counts)} clauses named: {one / total:.0%} in one file, {more / total:.0%} in more than two ({more})"


def figures(root: Path, games: Mapping[str, Game]) -> dict[str, object]:
    """The report as data."""
    return {
        "games": {name: {**asdict(game), **game.figures(), "one": game.one} for name, game in games.items()},
        "sizes": {name: {"files": files, "lines": count} for name, (files, count) in sizes(root).items()},
    }


def lower_figures(text: str, games: Mapping[str, Game]) -> str:
    """The text of homes.toml with the figures of these games where they are better than before."""
    most = tomllib.loads(text)["most"]
    for name, game in games.items():
        best = {figure: min(here, most.get(name, {}).get(figure, here)) for figure, here in game.figures().items()}
        row = f"{name} = {{ " + ", ".join(f"{figure} = {value}" for figure, value in best.items()) + " }"
        text = re.sub(rf"^{name} = \{{.*\}}$", row, text, flags=re.MULTILINE)
    return text


def _words(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from WORD.findall(node.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from WORD.findall(token.string)


@dataclass(frozen=True)
class _Module:
    """What a module binds at its top level, and what it names of other modules."""

    name: str
    tree: ast.Module
    package: bool

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Local name -> (module, name there); the name is "" for a module itself."""
        found: dict[str, tuple[str, str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    found[each.asname or each.name] = (each.name, "")
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    found[each.asname or each.name] = (self._source(node), each.name)
        return found

    def _source(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        above = parts[: len(parts) - node.level + self.package]
        return ".".join([*above, *([node.module] if node.module else [])])

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        return {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}

    @cached_property
    def aliases(self) -> dict[str, ast.expr]:
        """Name -> what a module-level assignment gives it."""
        found: dict[str, ast.expr] = {}
        for node in self.tree.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                found[node.target.id] = node.value
            elif isinstance(node, ast.Assign):
                found |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        return found


Home = tuple[str, str]
"""Module and name of a class."""

_OUTSIDE: Home = ("", "Action")
"""The base of actions, wherever it stands."""


@dataclass(frozen=True)
class _Package:
    root: Path
    texts: dict[Path, str]
    modules: dict[str, _Module] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "modules", {m.name: m for m in map(self._module, self.texts)})

    def _module(self, path: Path) -> _Module:
        parts = path.relative_to(self.root).with_suffix("").parts
        package = parts[-1] == "__init__"
        return _Module(".".join(parts[:-1] if package else parts), ast.parse(self.texts[path]), package)

    def strangers(self) -> dict[str, list[str]]:
        """Action class -> files other than its own that name it."""
        files = dict(zip(self.modules, (path.relative_to(self.root).as_posix() for path in self.texts), strict=True))
        named = {name: set(self._homes_named(module)) for name, module in self.modules.items()}
        return {
            cls: [files[each] for each, homes in named.items() if each != where and (where, cls) in homes]
            for where, cls in sorted(self.actions(), key=lambda home: home[1])
        }

    def actions(self) -> set[Home]:
        """The action classes."""
        found = {home for module in self.modules.values() for home in self._members(module, "Action")}
        bases = dict(self._bases())
        while derived := {cls for cls, over in bases.items() if cls not in found and over & {*found, _OUTSIDE}}:
            found |= derived
        return found - {over for each in bases.values() for over in each}

    def _members(self, module: _Module, name: str) -> Iterator[Home]:
        """The classes of a union called `name` in the module."""
        for each in _union(module.aliases[name]) if name in module.aliases else ():
            home = self.resolve(module.name, each)
            if home is not None and home[1] in self.modules[home[0]].classes:
                yield home
            elif home is not None and home != (module.name, name):
                yield from self._members(self.modules[home[0]], home[1])

    def _bases(self) -> Iterator[tuple[Home, set[Home]]]:
        """Each class with what it derives from: classes of the game, and the base of actions that is none of it."""
        for module in self.modules.values():
            for cls in module.classes.values():
                named = [base for base in map(_bare, cls.bases) if base]
                homes = {self.resolve(module.name, base) or ("", base.split(".")[-1]) for base in named}
                yield (module.name, cls.name), {_OUTSIDE if home[1] == "Action" else home for home in homes}

    def resolve(self, module: str, name: str) -> Home | None:
        """Where a name that a module uses is bound; None outside the game."""
        here = self.modules[module]
        if name in here.classes or name in here.aliases:
            return module, name
        parts = name.split(".")
        for at in range(len(parts), 0, -1):
            source, there = here.imports.get(".".join(parts[:at]), ("", ""))
            inner = f"{source}.{there}".strip(".")
            if at < len(parts) and inner in self.modules:
                return self.resolve(inner, ".".join(parts[at:]))
            if there and source in self.modules and inner not in self.modules:
                return self.resolve(source, there)
        return None

    def _homes_named(self, module: _Module) -> Iterator[Home]:
        """The classes and aliases of the game that a module names."""
        names = [*module.imports, *(_bare(node) for node in ast.walk(module.tree) if isinstance(node, ast.Attribute))]
        for name in names:
            home = self.resolve(module.name, name)
            if home is not None:
                yield home


def _bare(node: ast.expr) -> str:
    """A dotted name without its parameters; "" if it is none."""
    if isinstance(node, ast.Subscript):
        return _bare(node.value)
    if isinstance(node, ast.Attribute):
        return f"{inner}.{node.attr}" if (inner := _bare(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


def _union(node: ast.expr) -> Iterator[str]:
    """The names of `A | B`, written as a string or not, in brackets or not."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _union(ast.parse(node.value, mode="eval").body)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _union(node.left)
        yield from _union(node.right)
    elif name := _bare(node):
        yield name
