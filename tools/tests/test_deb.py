"""The package says the same of the same tree, wherever it is built."""

from __future__ import annotations

from pathlib import Path

from tools.package.deb import installed_kib


def test_the_installed_size_is_that_of_files_not_of_the_builders_folders(tmp_path: Path) -> None:
    """A folder that once held more is larger on many file systems: two builds of one checkout differed by that."""
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt/small").write_bytes(b"1")
    (tmp_path / "opt/larger").write_bytes(bytes(1025))
    (tmp_path / "opt/empty").write_bytes(b"")
    (tmp_path / "opt/link").symlink_to("larger")
    (tmp_path / "DEBIAN").mkdir()
    (tmp_path / "DEBIAN/control").write_bytes(bytes(9999))
    folder, link = 1, 1
    assert installed_kib(tmp_path) == folder + 1 + 2 + 0 + link
