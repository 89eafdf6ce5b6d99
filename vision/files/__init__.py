"""Files: the one way in for those that this start did not write, and the way out that a power cut cannot halve.

Whatever a file holds, reading it gives what was asked for or raises `BadFile`, a sentence with the file, the place in
it and what to do. Whoever reads decides what goes on without the file.
"""

from vision.files.faults import BadFile, Fault, NoFile, Refused, quote, shorten
from vision.files.reading import decoding, exists, read_bytes, read_head, read_json, read_text, read_toml
from vision.files.writing import private_dir, sync, write_all, write_synced, write_whole

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
    "shorten",
    "sync",
    "write_all",
    "write_synced",
    "write_whole",
]
