"""Which rule clauses have a test that names them: `make clauses` (law 8).

Clauses are the numbered items of docs/rules/*.md; quick tests name them with `@pytest.mark.clause("T30", ...)`: tests
that `make test` leaves out do not count. Those that bind no program stand in tests/clauses/*.toml, each with its
reason. Exits 1 if a clause has neither, or if a test names one that does not exist. With --homes: where code names them
(tools/homes.py), and exit 1 if that got worse.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools import homes

ROOT = Path(__file__).resolve().parent.parent
LATER = {"thorough", "soak", "browser", "machine", "package"}
"""The marks of tests that are not quick."""
ITEM = re.compile(r"^\s*- ([A-Z]\d+[a-z]?)\b", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """unbound: clause -> why it binds no program. unknown: named by a test, but not in the rules."""

    clauses: int
    tested: int
    unbound: dict[str, str]
    untested: list[str]
    unknown: list[str]


def clauses(path: Path) -> list[str]:
    """The ids of a rules file, in its order."""
    return list(dict.fromkeys(ITEM.findall(path.read_text(encoding="utf-8"))))


def tests_by_clause(tests: Path) -> dict[str, list[str]]:
    """Clause id -> the tests that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, clause in () if _later(tree) else _marks(tree):
            found.setdefault(clause, []).append(f"{path.relative_to(tests)}::{name}")
    return found


def unbound(tests: Path, game: str) -> dict[str, str]:
    """Clause id -> why no program can be bound by it."""
    path = tests / "clauses" / f"{game}.toml"
    if not path.exists():
        return {}
    return dict(tomllib.loads(path.read_text(encoding="utf-8"))["unbound"])


def report(rules: Path, tests: Path) -> dict[str, Row]:
    """One row for each rules file."""
    tested = tests_by_clause(tests)
    found: dict[str, Row] = {}
    for path in sorted(rules.glob("*.md")):
        ids, free = clauses(path), unbound(tests, path.stem)
        known = {i for i in {*tested, *free} if i[0] == ids[0][0]}
        found[path.stem] = Row(
            clauses=len(ids),
            tested=sum(i in tested for i in ids),
            unbound=free,
            untested=[i for i in ids if i not in tested and i not in free],
            unknown=sorted(known - set(ids)),
        )
    return found


def _marks(tree: ast.AST, test: str = "parametrised") -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if not _later(node):
            name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else test
            yield from ((name, clause) for clause in _clauses_of(node))
            yield from _marks(node, name)


def _later(node: ast.AST) -> bool:
    """Whether it is a file, a class, a test or a case of parametrize with such a mark."""
    match node:
        case ast.Module():
            said = [each.value for each in node.body if isinstance(each, ast.Assign) and _is_pytestmark(each)]
            marks = [inner for value in said for inner in ast.walk(value) if isinstance(inner, ast.expr)]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            marks = node.decorator_list
        case ast.Call(func=ast.Attribute(attr="param")):
            marks = [inner for word in node.keywords for inner in ast.walk(word.value) if isinstance(inner, ast.expr)]
        case _:
            return False
    return any(isinstance(mark, ast.Attribute) and mark.attr in LATER for mark in marks)


def _is_pytestmark(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)


def _clauses_of(node: ast.AST) -> list[str]:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause"):
        return []
    return [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]


def tests_of(games: Sequence[str], as_json: bool) -> bool:
    """Print which clauses have a test; whether all is well."""
    found = {game: row for game, row in report(ROOT / "docs" / "rules", ROOT / "tests").items() if game in games}
    if as_json:
        print(json.dumps({game: asdict(row) for game, row in found.items()}, indent=2, ensure_ascii=False))
    else:
        for game, row in found.items():
            print(f"{game}: {row.tested} of {row.clauses} clauses tested")
            print(*(f"  {clause} binds no program: {reason}" for clause, reason in row.unbound.items()), sep="\n")
            print(*(f"  {clause} HAS NO TEST" for clause in row.untested), sep="\n")
            print(*(f"  {clause} IS NOT A CLAUSE" for clause in row.unknown), sep="\n")
    return not any(row.untested or row.unknown for row in found.values())


def homes_of(games: Sequence[str], given: argparse.Namespace) -> bool:
    """Print where the engine names clauses and actions; whether nothing got worse."""
    kept = ROOT / "tests" / "clauses" / "homes.toml"
    said = tomllib.loads(kept.read_text(encoding="utf-8"))
    ids = {game: clauses(ROOT / "docs" / "rules" / f"{game}.md") for game in games}
    found = homes.survey(ROOT, ids, said["exceptions"])
    if given.lower:
        kept.write_text(homes.lower_figures(kept.read_text(encoding="utf-8"), found), encoding="utf-8")
    if given.json:
        print(json.dumps(homes.figures(ROOT, found), indent=2, ensure_ascii=False))
    else:
        print(*homes.lines(ROOT, found, lists=not given.brief), sep="\n")
    faults = list(homes.worse(found, said["most"]))
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    return not faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Print the rule clauses that no test names, or where the engine names each.",
        epilog=homes.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--homes", action="store_true", help="print where the engine names clauses and actions")
    parser.add_argument("--brief", action="store_true", help="of the homes, print the figures and no lists")
    parser.add_argument("--lower", action="store_true", help="of the homes, keep the figures that became better")
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.add_argument("games", nargs="*", help="only these; all, if none is named")
    given = parser.parse_args()
    games = given.games or sorted(path.stem for path in (ROOT / "docs" / "rules").glob("*.md"))
    return int(not (homes_of(games, given) if given.homes else tests_of(games, given.json)))


if __name__ == "__main__":
    sys.exit(main())
