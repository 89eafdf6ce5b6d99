"""Reads untrusted files and writes files atomically.

Reading returns the requested value or raises `BadFile` with file, place and remedy.
"""

from vision.files.faults import BadFile, Fault, NoFile, Refused, quote, shorten
from vision.files.reading import decoding, exists, read_bytes, read_head, read_json, read_text, read_toml
from vision.files.writing import private_dir, rewrite, sync, write_all, write_synced, write_whole

__all__ = [
    "BadFile",
    "Fault",
    "NoFile",
    "Refused",
    "decoding",
    "exists",
    "private_dir",
    "quote",
    "read_bytes",
    "read_head",
    "read_json",
    "read_text",
    "read_toml",
    "rewrite",
    "shorten",
    "sync",
    "write_all",
    "write_synced",
    "write_whole",
]
