"""Decodes plain data into a typed struct and reports every fault in it; msgspec alone stops at the first."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec

from device.settings.faults import Fault

T = TypeVar("T", bound=msgspec.Struct)
Data = Any
"""What tomllib gives: dict, list, str, int, float, bool, dates."""


def read(kind: type[T], data: Mapping[str, Data]) -> tuple[T | None, tuple[Fault, ...]]:
    """`data` as a `kind`, and all that is wrong with it.

    With faults, the struct is what is left without the faulty keys, if that is enough for one: what it says of other
    sections than theirs can be checked further, but it must not be used.
    """
    faults = tuple(_faults(kind, data, ""))
    sound = _without(data, {fault.key for fault in faults}, "")
    try:
        return cast(T, _convert(sound, kind)), faults
    except (msgspec.ValidationError, ValueError):
        return None, faults


def _without(data: Data, keys: set[str], at: str) -> Data:
    if not isinstance(data, Mapping):
        return data
    kept = {name: value for name, value in data.items() if _join(at, name) not in keys}
    return {name: _without(value, keys, _join(at, name)) for name, value in kept.items()}


def _convert(data: Data, kind: Any) -> object:
    return msgspec.convert(data, kind, strict=True, dec_hook=_path)


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str) and value:
        return Path(value).expanduser()
    raise ValueError("Expected a path between quotes")


def _faults(kind: Any, data: Data, key: str) -> Iterator[Fault]:
    """Goes down struct by struct; what holds no struct is converted whole."""
    structs = _structs(kind)
    if get_origin(kind) is dict and isinstance(data, Mapping):
        for name, value in data.items():
            yield from _faults(get_args(kind)[1], value, _join(key, name))
    elif not structs:
        yield from _leaf(kind, data, key)
    elif not isinstance(data, Mapping):
        yield Fault(key, f"{data!r} is not a section", f"write [{key}] with its keys below it")
    elif structs[0].__struct_config__.tag is None:
        yield from _struct(structs[0], data, key)
    else:
        yield from _tagged(structs, data, key)


def _struct(kind: type[msgspec.Struct], data: Mapping[str, Data], key: str) -> Iterator[Fault]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    tag_field = kind.__struct_config__.tag_field
    known = sorted(fields) + ([tag_field] if tag_field else [])
    meant: set[str] = set()
    for name, value in data.items():
        if name in fields:
            yield from _faults(fields[name].type, value, _join(key, name))
        elif name != tag_field:
            meant.update(near := difflib.get_close_matches(name, [each for each in known if each not in data], n=1))
            remedy = f"did you mean {near[0]}?" if near else "remove it; known here: " + ", ".join(known)
            yield Fault(_join(key, name), "unknown key", remedy)
    for name, field in fields.items():
        if field.required and name not in data and name not in meant:
            yield Fault(_join(key, name), "is missing", f"add {name}")


def _tagged(structs: list[type[msgspec.Struct]], data: Mapping[str, Data], key: str) -> Iterator[Fault]:
    field = structs[0].__struct_config__.tag_field or "type"
    chosen = [each for each in structs if each.__struct_config__.tag == data.get(field)]
    if chosen:
        yield from _struct(chosen[0], data, key)
        return
    wrong = f"{data[field]!r} is not known" if field in data else "is missing"
    tags = ", ".join(f'"{each.__struct_config__.tag}"' for each in structs)
    yield Fault(_join(key, field), wrong, f"write one of {tags}")


def _leaf(kind: Any, data: Data, key: str) -> Iterator[Fault]:
    try:
        _convert(data, kind)
    except (msgspec.ValidationError, ValueError) as error:
        wanted = str(error).partition(" - at ")[0]
        known = _values(kind)
        what_to_do = f"write one of {', '.join(known)}" if known else wanted[:1].lower() + wanted[1:]
        yield Fault(key, f"{data!r} cannot stand here", what_to_do)


def _values(kind: Any) -> list[str]:
    """All that may be written, if it is a list of words or numbers."""
    known = get_args(kind) if get_origin(kind) is Literal else ()
    return [f'"{each}"' if isinstance(each, str) else str(each) for each in known]


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    """The structs that a type is, or is a union of."""
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, msgspec.Struct)]


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
