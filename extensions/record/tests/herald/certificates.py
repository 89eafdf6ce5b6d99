"""Certificates as a club makes them, as files, for brokers and whoever comes to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Authority:
    """An authority. folder: where its certificate lies, and those that it makes with their keys."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key = folder, generate_private_key(SECP256R1())
        self.certificate = folder / "authority.pem"
        self._write("authority", self._key, _draft("authority", self._key).issuer_name(_name("authority")))

    def certify(self, name: str, called: str = "") -> tuple[Path, Path]:
        """Return the paths of a certificate and of its key; that of "broker" is for a server at localhost.

        Args:
            name: What both files are called.
            called: The certificate's common name, if that is not the files'.
        """
        key = generate_private_key(SECP256R1())
        draft = _draft(called or name, key).issuer_name(_name("authority"))
        if name == "broker":
            draft = draft.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        return self._write(name, key, draft)

    def _write(self, name: str, key: EllipticCurvePrivateKey, draft: x509.CertificateBuilder) -> tuple[Path, Path]:
        paths = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        paths[0].write_bytes(draft.sign(self._key, SHA256()).public_bytes(Encoding.PEM))
        paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return paths


def _name(called: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, called)])


def _draft(called: str, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    start = datetime.now(UTC) - timedelta(days=1)
    basic = x509.BasicConstraints(ca=called == "authority", path_length=None)
    draft = x509.CertificateBuilder().subject_name(_name(called)).public_key(key.public_key())
    draft = draft.serial_number(x509.random_serial_number()).add_extension(basic, critical=True)
    return draft.not_valid_before(start).not_valid_after(start + timedelta(days=30))
