"""Certificates as a club makes them, as files, for brokers and whoever comes to them."""

from __future__ import annotations

from pathlib import Path

from cryptography.x509.oid import ExtendedKeyUsageOID

from device.certificates import Issuer, authority


class Authority:
    """An authority. folder: where its certificate lies, and those that it makes with their keys."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, made = folder, authority("authority", days=30)
        self._issuer = Issuer(*made)
        self.certificate, _ = self._write("authority", *made)

    def certify(self, name: str, called: str = "") -> tuple[Path, Path]:
        """Return the paths of a certificate and of its key; that of "broker" is for a server at localhost.

        Args:
            name: What both files are called.
            called: The certificate's common name, if that is not the files'.
        """
        serves = name == "broker"
        use = ExtendedKeyUsageOID.SERVER_AUTH if serves else ExtendedKeyUsageOID.CLIENT_AUTH
        made = self._issuer.certify(called or name, ("localhost",) if serves else (), 30, use)
        return self._write(name, *made)

    def _write(self, name: str, certificate: bytes, key: bytes) -> tuple[Path, Path]:
        paths = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        for path, data in zip(paths, (certificate, key), strict=True):
            path.write_bytes(data)
        return paths
