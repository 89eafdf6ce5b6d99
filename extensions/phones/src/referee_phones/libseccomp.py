"""A ctypes binding of libseccomp for the pages' workers (seccomp_rule_add(3))."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_uint, c_uint32, c_uint64, c_void_p
from functools import cache

NAME = "libseccomp.so.2"
ALLOW = 0x7FFF0000
EQUAL, GREATER, MASKED = 4, 6, 7
"""Comparison of an argument (`enum scmp_compare`); MASKED applies a mask first."""


def refuse(error: int) -> int:
    """Return the action that fails a call with this error number (SCMP_ACT_ERRNO)."""
    return 0x00050000 | error


class Argument(ctypes.Structure):
    """A condition on a call's argument (`struct scmp_arg_cmp`)."""

    _fields_ = (("number", c_uint), ("comparison", c_int), ("first", c_uint64), ("second", c_uint64))


class Filter:
    """A filter. otherwise: action for other calls, ALLOW or from `refuse`. Raises OSError without libseccomp."""

    def __init__(self, otherwise: int) -> None:
        self._library = library()
        self._filter = c_void_p(self._library.seccomp_init(otherwise))
        if not self._filter:
            raise OSError("libseccomp makes no filter")

    def add(self, action: int, call: str, *arguments: Argument) -> None:
        """Add a rule; ignore calls unknown to this processor. Raises OSError."""
        number = self._library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:
            return
        given = (Argument * len(arguments))(*arguments)
        _check(self._library.seccomp_rule_add_array(self._filter, action, number, len(arguments), given))

    def load(self) -> None:
        """Put this process and its children under the filter for ever. Raises OSError."""
        _check(self._library.seccomp_load(self._filter))
        self._library.seccomp_release(self._filter)


@cache
def library() -> ctypes.CDLL:
    """Return libseccomp with typed functions. Raises OSError if not installed."""
    found = ctypes.CDLL(NAME)
    found.seccomp_init.argtypes, found.seccomp_init.restype = (c_uint32,), c_void_p
    found.seccomp_release.argtypes, found.seccomp_release.restype = (c_void_p,), None
    found.seccomp_load.argtypes = (c_void_p,)
    found.seccomp_syscall_resolve_name.argtypes = (c_char_p,)
    found.seccomp_rule_add_array.argtypes = (c_void_p, c_uint32, c_int, c_uint, POINTER(Argument))
    return found


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, os.strerror(-result))
