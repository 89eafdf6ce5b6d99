"""Turns structs into command options, one per field."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec

Command = Callable[..., None]


def group_options(command: Command) -> Command:
    """Return a Typer command whose options are the fields of its struct parameters.

    Fields are `name: Annotated[type, typer.Option(...)] = default`, with unique names."""
    groups = {name: kind for name, kind in get_type_hints(command).items() if name != "return"}
    fields = {name: msgspec.structs.fields(kind) for name, kind in groups.items()}

    def flat(**given: Any) -> None:
        own = {name: {each.name: given[each.name] for each in fields[name]} for name in groups}
        command(**{name: kind(**own[name]) for name, kind in groups.items()})

    options = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for own in fields.values()
        for each in own
    ]
    flat.__doc__, flat.__module__ = command.__doc__, command.__module__
    flat.__annotations__ = {option.name: option.annotation for option in options}
    vars(flat)["__signature__"] = inspect.Signature(options)
    return flat
