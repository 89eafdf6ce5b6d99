"""The manual page referee(1), written from the command line's own help: python -m tools.package.manual DATE

DATE, such as 2026-11-21, stands at the foot of the page. The program is imported, so this runs where it is installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import typer
from rich.text import Text

from device.cli.tree import tree
from device.extensions import extensions
from tools.package.release import EXTENSIONS


def page(date: str) -> str:
    """The page in the macros of man(7)."""
    whole: Any = typer.main.get_command(tree())
    told = [
        f'.TH REFEREE 1 "{date}" "table-referee" "User Commands"',
        ".SH NAME",
        f"referee \\- {_roff(_first(whole.help))}",
        ".SH SYNOPSIS",
        ".B referee",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        _roff(_plain(whole.help)),
        ".SH OPTIONS",
        *_records(whole, None),
        ".SH COMMANDS",
        *_commands(whole, "referee", None),
        ".SH FILES",
        *_named_item("/etc/table-referee/table.toml", "The table: wiring, seats, camera, language."),
        *_named_item("/var/lib/referee", "Matches, the pictures of your pieces, the lens."),
        ".SH SEE ALSO",
        ".BR referee-version (8),",
        ".BR systemctl (1),",
        ".BR journalctl (1)",
    ]
    return "\n".join(told) + "\n"


def elsewhere() -> set[str]:
    """Return the commands of extensions that the package does not have."""
    with_it = {extension.name for extension in EXTENSIONS}
    return {name for extension in extensions() if extension.name not in with_it for name in extension.commands}


def _commands(group: Any, path: str, parent: Any) -> Iterator[str]:
    with group.context_class(group, info_name=group.name, parent=parent) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command.hidden or (parent is None and name in elsewhere()):
                continue
            if hasattr(command, "list_commands"):
                yield from _commands(command, f"{path} {name}", context)
            else:
                yield from _command(command, f"{path} {name}", context)


def _command(command: Any, path: str, parent: Any) -> Iterator[str]:
    with command.context_class(command, info_name=command.name, parent=parent) as context:
        yield f".SS {_roff(path)} {_roff(' '.join(command.collect_usage_pieces(context)))}"
    yield _roff(_plain(command.help))
    yield from _records(command, parent)


def _records(command: Any, parent: Any) -> Iterator[str]:
    """Its arguments and options, as its help lists them."""
    with command.context_class(command, info_name=command.name, parent=parent) as context:
        for parameter in command.get_params(context):
            if record := parameter.get_help_record(context):
                yield from _named_item(*record)


def _named_item(name: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_roff(_plain(name))}"
    yield _roff(_plain(text)) or "\\&"


def _plain(text: str | None) -> str:
    """Help without the marks of rich, one line for each paragraph."""
    without = Text.from_markup(text or "").plain
    return "\n.PP\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", without))


def _first(text: str | None) -> str:
    words = _plain(text).partition(":")[0].rstrip(".")
    return words[:1].lower() + words[1:]


def _roff(text: str) -> str:
    """Text in which nothing means anything to roff, but for the .PP between paragraphs."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=['.])(?!\.PP$)", r"\\&", safe, flags=re.MULTILINE)


def main() -> int:
    sys.stdout.write(page(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
