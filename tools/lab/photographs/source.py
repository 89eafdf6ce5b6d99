"""The files of a folder, or of a commit in a git repository, here or anywhere that git can clone from."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Protocol

from tools.lab.photographs.table import SetError


class Source(Protocol):
    """Files by their paths, / between folders."""

    def paths(self) -> list[str]: ...

    def read(self, path: str) -> bytes | None:
        """What a file holds; None if it is listed and not there."""


class Folder:
    """A folder on this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def paths(self) -> list[str]:
        return sorted(path.relative_to(self._root).as_posix() for path in self._root.rglob("*") if path.is_file())

    def read(self, path: str) -> bytes | None:
        file = self._root / path
        return file.read_bytes() if file.is_file() else None


class Commit:
    """A commit of a repository on this machine; `asked`, `answers`: the pipes of `git cat-file --batch`."""

    def __init__(self, repository: Path, commit: str, asked: IO[bytes], answers: IO[bytes]) -> None:
        self._repository, self._commit, self._asked, self._answers = repository, commit, asked, answers

    def paths(self) -> list[str]:
        listed = _git(self._repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", self._commit)
        return [path for path in listed.split("\0") if path]

    def read(self, path: str) -> bytes | None:
        if "\n" in path:
            return None
        self._asked.write(f"{self._commit}:{path}\n".encode(errors="surrogateescape"))
        self._asked.flush()
        head = self._answers.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            return None
        data = self._answers.read(int(head[2]))
        self._answers.read(1)
        return data


@contextmanager
def open_source(source: str, commit: str) -> Iterator[Source]:
    """The files of a folder, or of a commit of the repository in a folder or at an address. Raises SetError."""
    folder = Path(source)
    if folder.is_dir() and not ((folder / ".git").exists() or (folder / "HEAD").is_file()):
        yield Folder(folder)
    elif folder.is_dir():
        with _reading(folder, commit) as found:
            yield found
    else:
        with TemporaryDirectory(prefix="photographs-") as kept:
            _git(Path(kept), "init", "--quiet", "--bare")
            _git(Path(kept), "fetch", "--quiet", "--depth", "1", source, commit)
            with _reading(Path(kept), commit) as found:
                yield found


@contextmanager
def _reading(repository: Path, commit: str) -> Iterator[Source]:
    _git(repository, "cat-file", "-e", f"{commit}^{{commit}}")
    with subprocess.Popen(
        ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as pipes:
        if pipes.stdin is None or pipes.stdout is None:  # it was asked for both
            raise AssertionError
        yield Commit(repository, commit, pipes.stdin, pipes.stdout)
        pipes.stdin.close()


def _git(repository: Path, *words: str) -> str:
    """What git says. It never asks anybody for a password."""
    command = ["git", "-C", str(repository), *words]
    try:
        ran = subprocess.run(command, capture_output=True, env=os.environ | {"GIT_TERMINAL_PROMPT": "0"}, check=False)
    except FileNotFoundError as error:
        raise SetError("git is not installed: install it, or give a folder that holds the files") from error
    if ran.returncode:
        said = ran.stderr.decode(errors="replace").strip().splitlines()
        raise SetError(f"git {words[0]} failed in {repository}: {said[-1] if said else ran.returncode}")
    return ran.stdout.decode(errors="surrogateescape")
