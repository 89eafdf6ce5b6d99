"""Decodes plain data into typed values, reporting all faults; msgspec stops at the first."""

from __future__ import annotations

import difflib
import re
import reprlib
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec

from vision.files.faults import MOST_TOLD, BadFile, Fault, quote
from vision.files.lines import Lines, join

T = TypeVar("T")
Data = Any
"""Result of tomllib: dict, list, str, int, float, bool, dates."""

REFUSED = (msgspec.ValidationError, ValueError, OverflowError, RecursionError)
"""Errors of conversion and of structs' own checks."""


def convert(kind: type[T], data: Data, text: str, path: Path | str) -> T:
    """Convert `data`, parsed from `text`. Raises BadFile with faults and lines."""
    try:
        return cast(T, _convert(data, kind))
    except REFUSED as error:
        _, faults = read(kind, data)
        raise BadFile(path, *with_lines(faults, text)) from error


def read(kind: type[T], data: Data) -> tuple[T | None, tuple[Fault, ...]]:
    """Return `data` as `kind`, and at most 2 * MOST_TOLD faults. With faults the value lacks faulty keys, or is None;
    use it only for checks."""
    faults = tuple(islice(_faults(kind, data, ""), 2 * MOST_TOLD))
    sound = _without(data, {fault.key for fault in faults}, "")
    try:
        return cast(T, _convert(sound, kind)), faults
    except REFUSED as error:
        return None, faults or (Fault("", quote(error), "correct what it says"),)


def with_lines(faults: Sequence[Fault], text: str) -> tuple[Fault, ...]:
    """Add the lines of the TOML text to faults."""
    lines = Lines(text)
    return tuple(msgspec.structs.replace(fault, line=lines.of(fault.key)) for fault in faults)


def _without(data: Data, keys: set[str], at: str) -> Data:
    if not isinstance(data, Mapping):
        return data
    kept = {name: value for name, value in data.items() if join(at, name) not in keys}
    return {name: _without(value, keys, join(at, name)) for name, value in kept.items()}


def _convert(data: Data, kind: Any) -> object:
    return msgspec.convert(data, kind, strict=True, dec_hook=_path)


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str) and value:
        try:
            return Path(value).expanduser()
        except RuntimeError as error:  # the home folder of an unknown user
            raise ValueError(f"{shown_value(value)} begins with nobody's home folder: write all of the path") from error
    raise ValueError("Expected a path between quotes")


def _faults(kind: Any, data: Data, key: str) -> Iterator[Fault]:
    structs = _structs(kind)
    if get_origin(kind) is dict and isinstance(data, Mapping):
        for name, value in data.items():
            yield from _faults(get_args(kind)[1], value, join(key, name))
    elif _holds_structs(kind) and isinstance(data, list):
        for number, value in enumerate(data):
            yield from _faults(get_args(kind)[0], value, f"{key}[{number}]")
    elif not structs:
        yield from _leaf(kind, data, key)
    elif not isinstance(data, Mapping):
        yield Fault(key, f"{shown_value(data)} is not a section", f"write [{key}] with its keys below it")
    elif structs[0].__struct_config__.tag is None:
        yield from _struct(structs[0], data, key)
    else:
        yield from _tag_faults(structs, data, key)


def _struct(kind: type[msgspec.Struct], data: Mapping[str, Data], key: str) -> Iterator[Fault]:
    fields = _fields(kind)
    tag_field = kind.__struct_config__.tag_field
    known = sorted(fields) + ([tag_field] if tag_field else [])
    meant: set[str] = set()
    for name, value in data.items():
        if name in fields:
            yield from _faults(fields[name].type, value, join(key, name))
        elif name != tag_field:
            meant.update(near := difflib.get_close_matches(name, [each for each in known if each not in data], n=1))
            remedy = f"did you mean {near[0]}?" if near else "remove it; known here: " + ", ".join(known)
            yield Fault(join(key, name), "unknown key", remedy)
    for name, field in fields.items():
        if field.required and name not in data and name not in meant:
            yield Fault(join(key, name), "is missing", f"add {name}")


@cache
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _tag_faults(structs: list[type[msgspec.Struct]], data: Mapping[str, Data], key: str) -> Iterator[Fault]:
    field = structs[0].__struct_config__.tag_field or "type"
    chosen = [each for each in structs if each.__struct_config__.tag == data.get(field)]
    if chosen:
        yield from _struct(chosen[0], data, key)
        return
    wrong = f"{shown_value(data[field])} is not known" if field in data else "is missing"
    tags = ", ".join(f'"{each.__struct_config__.tag}"' for each in structs)
    yield Fault(join(key, field), wrong, f"write one of {tags}")


def _leaf(kind: Any, data: Data, key: str) -> Iterator[Fault]:
    try:
        _convert(data, kind)
    except REFUSED as error:
        wanted = quote(error).partition(" - at ")[0]
        known = _values(kind)
        if " matching regex " in wanted:
            what_to_do = _in_words(kind)
        else:
            what_to_do = f"write one of {', '.join(known)}" if known else wanted[:1].lower() + wanted[1:]
        yield Fault(key, f"{shown_value(data)} cannot stand here", what_to_do)


def _values(kind: Any) -> list[str]:
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    known = get_args(kind) if get_origin(kind) is Literal else ()
    return [f'"{each}"' if isinstance(each, str) else str(each) for each in known]


def _in_words(kind: Any) -> str:
    """Return the description of a text type's pattern, or of one inside it; "" if there is none."""
    told = (_in_words(each) for each in get_args(kind) if not isinstance(each, str))
    own = getattr(kind, "__metadata__", ())
    return next((each.description for each in own if each.description), None) or next(filter(None, told), "")


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, msgspec.Struct)]


def _holds_structs(kind: Any) -> bool:
    """Return True for a list or variable tuple of structs."""
    return (
        get_origin(kind) in (list, tuple) and bool(_structs(get_args(kind)[0])) and get_args(kind)[1:] in ((), (...,))
    )


def shown_value(data: Data) -> str:
    """Return a value in one short line without possible passwords."""
    try:
        return _SHORT.repr(data)
    except ValueError:
        return "a number of thousands of digits"


class _Short(reprlib.Repr):
    def repr_str(self, text: str, level: int) -> str:
        """Leave out possible passwords: text before an @, and an address's query."""
        text = re.sub(r".*@", "...@", text, flags=re.DOTALL)
        return super().repr_str(re.sub(r"(://[^?]*\?).*", r"\1...", text, flags=re.DOTALL), level)


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
