"""Words that readers stumble over: `python -m tools.words` names each, and exits with 1 if there is one.

`--count` prints as JSON how many words docstrings, descriptions of constants and fields, and comments have.

- A docstring of a module, class or function begins with a verb, or names the thing; never with a question or a
  preposition.
- A function is named by a verb or a noun, not by a participle alone (`told`, `kept`). A property is read like an
  attribute, and may be.
- A name stands for one class of the core. Roles that every game fills, each with a class of its own, are in `ROLES`.
- A name that was retired does not come back: `RETIRED` says what is said instead.

Tests are named by sentences, and not checked.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "vision", "device", "extensions/*/src")
TEST = re.compile(r"(^|/)(tests/|test_|conftest\.py)")

REFUSED = frozenset(
    (
        "What",
        "Whether",
        "Of",
        "Whose",
        "How",
        "Where",
        "Who",
        "When",
        "Which",
        "Whoever",
        "Whatever",
        "Why",
        "By",
        "As",
        "At",
        "In",
        "On",
        "From",
        "To",
        "With",
        "If",
        "Until",
        "For",
        "So",
        "It",
        "Its",
        "That",
        "They",
        "There",
        "Then",
        "While",
        "Because",
        "Before",
        "After",
        "Besides",
        "Only",
        "Not",
        "Also",
    )
)


CORE = ("engine", "vision", "device")

NAMED_BY_DATA = frozenset({"engine/fence/owner_deck.py: owned"})
"""Functions whose name stands in data of a game, of which a match's first entry holds the digest."""

IRREGULAR = frozenset(
    (
        *(
            "become",
            "begun",
            "bound",
            "broken",
            "brought",
            "built",
            "caught",
            "chosen",
            "dealt",
            "done",
            "drawn",
            "fallen",
        ),
        *(
            "felt",
            "forbidden",
            "forgotten",
            "found",
            "frozen",
            "given",
            "gone",
            "got",
            "heard",
            "held",
            "hidden",
            "hung",
        ),
        *(
            "kept",
            "known",
            "laid",
            "led",
            "left",
            "lent",
            "lit",
            "lost",
            "made",
            "meant",
            "met",
            "owed",
            "paid",
            "said",
        ),
        *(
            "seen",
            "sent",
            "shown",
            "sold",
            "spent",
            "spoken",
            "stolen",
            "stood",
            "struck",
            "taken",
            "taught",
            "thought",
        ),
        *("thrown", "told", "torn", "understood", "won", "worn", "written"),
    )
)
NO_PARTICIPLES = frozenset(
    {"bed", "deed", "embed", "exceed", "feed", "heed", "need", "oled", "proceed", "seed", "speed"}
)
READ_AS_ATTRIBUTES = frozenset({"property", "cached_property"})

ROLES = frozenset({"CardWord", "Deck", "Order", "Over", "Phase", "Repair", "Rulings", "State"})
"""Classes that games have under one name, since they are one thing: a game's state, a phase of it, its orders."""

RETIRED = {
    "Breach": "Violation",
    "Desk": "MenuState",
    "Errand": "RunningTask, HelperJob",
    "House": "OwnerContext, PagesContext",
    "Lookout": "CameraPreview, PictureSource",
    "Lying": "ZoneContents, PieceView",
    "Owed": "PendingOrder",
    "Deed": "Intent",
    "Night": "FaultRun",
    "Steward": "PrivilegedHelper",
    "breaches": "violations",
    "slips": "execution_errors",
    "fouls": "illegal_handling",
    "told_text": "public_text",
    "brought": "face_down_cards",
    "kept": "a verb, or cache",
    "lent": "lend_camera",
    "meant": "in_context",
    "misexecution": "execution error",
    "told": "report, announce, publish, message",
    "unasked": "not_asked_violation",
    "uncalled": "out_of_turn_violation",
    "wished": "on_wish",
}
"""Names of classes and functions that nobody outside understood, and what stands in their place."""


def _files(root: Path, folders: Sequence[str]) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(path for folder in folders for path in root.glob(f"{folder}/**/*.py")):
        place = path.relative_to(root).as_posix()
        if not TEST.search(place):
            yield place, ast.parse(path.read_text(encoding="utf-8"))


def strays(root: Path) -> Iterator[str]:
    """Yield each docstring that begins with a refused word: file, line, name, word."""
    for place, tree in _files(root, FOLDERS):
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = (ast.get_docstring(node) or "-").split()[0].strip(".,:;")
                if first in REFUSED:
                    line, name = (1, "module") if isinstance(node, ast.Module) else (node.lineno, node.name)
                    yield f"{place}:{line}: {name}: {first}"


def is_participle(name: str) -> bool:
    """Return True for a name that is one participle and nothing else."""
    bare = name.strip("_")
    return bare in IRREGULAR or (re.fullmatch("[a-z]+ed", bare) is not None and bare not in NO_PARTICIPLES)


def participles(root: Path) -> Iterator[str]:
    """Yield each function that is named by a participle alone."""
    for place, tree in _files(root, (*FOLDERS, "tools")):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name):
                attribute = any(isinstance(d, ast.Name) and d.id in READ_AS_ATTRIBUTES for d in node.decorator_list)
                if not attribute and f"{place}: {node.name}" not in NAMED_BY_DATA:
                    yield f"{place}:{node.lineno}: {node.name}: a participle alone; say what it does, or what it is"


def doubles(root: Path) -> Iterator[str]:
    """Yield each name of several classes of the core."""
    places = defaultdict[str, list[str]](list)
    for place, tree in _files(root, CORE):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in ROLES:
                places[node.name].append(f"{place}:{node.lineno}")
    for name, classes in sorted(places.items()):
        if len(classes) > 1:
            yield f"{name}: the name of {len(classes)} classes: {', '.join(classes)}"


def retired_names(root: Path) -> Iterator[str]:
    """Yield each class and function of the core that bears a retired name."""
    for place, tree in _files(root, CORE):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = node.name.strip("_")
                if name in RETIRED:
                    yield f"{place}:{node.lineno}: {name}: say {RETIRED[name]}"


def count(root: Path) -> dict[str, int]:
    """Return how many words explain the shipped code, by kind."""
    found = {"docstrings": 0, "constants and fields": 0, "comments": 0}
    for place, tree in _files(root, FOLDERS):
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found["docstrings"] += len((ast.get_docstring(node) or "").split())
            if isinstance(node, ast.Module | ast.ClassDef):
                for before, each in pairwise(node.body):
                    if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(each, ast.Expr):
                        found["constants and fields"] += len(str(ast.literal_eval(each.value)).split())
        with tokenize.open(root / place) as file:
            said = [token.string for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT]
        found["comments"] += sum(len(each.lstrip("# ").split()) for each in said)
    return found


def main() -> int:
    """Print them, or their count."""
    if sys.argv[1:] == ["--count"]:
        print(json.dumps(count(ROOT)))
        return 0
    found = [each for check in (strays, participles, doubles, retired_names) for each in check(ROOT)]
    for each in found:
        print(each)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
