"""Certificates of a club's authority as files, for brokers and whoever comes to them."""

from __future__ import annotations

from pathlib import Path

from referee_club import authority


class Authority:
    """A club's own. folder: where its certificate, and those that it makes and their keys lie."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._own = folder, authority.Authority(folder)
        self.certificate = folder / f"{authority.AUTHORITY}.pem"

    def certify(self, name: str, called: str = "") -> tuple[Path, Path]:
        """The paths of a certificate, and of its key: of "broker" one that a server at localhost shows. called: another
        common name than the files have."""
        names = ("localhost",) if name == authority.BROKER else ()
        use = authority.USES.get(name, authority.USES[authority.CLUB])
        paths = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        for path, data in zip(paths, self._own.certify(called or name, names, use=use), strict=True):
            path.write_bytes(data)
        return paths
