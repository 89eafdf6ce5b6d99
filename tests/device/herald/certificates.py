"""Certificates of a club, as its authority makes them, and one of somebody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


class Authority:
    """Vouches for names. folder: where its certificate (NAME.pem), and those that it makes and their keys lie."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder, self._key, self._name = folder, generate_private_key(SECP256R1()), _named(name)
        folder.mkdir(parents=True, exist_ok=True)
        made = self._made(self._name, self._key).add_extension(x509.BasicConstraints(True, None), True)
        made = made.add_extension(_SIGNS, True).add_extension(self._identifier, False)
        self.certificate = folder / f"{name}.pem"
        self._write(self.certificate, made)

    def certify(self, name: str, called: str = "") -> tuple[Path, Path]:
        """The paths of a certificate of that common name, good for localhost, and of its key. called: another common
        name than the files have."""
        key, paths = generate_private_key(SECP256R1()), (self._folder / f"{name}.pem", self._folder / f"{name}.key")
        made = self._made(_named(called or name), key).add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost")]), False
        )
        own = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._identifier)
        self._write(paths[0], made.add_extension(own, False))
        paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return paths

    @property
    def _identifier(self) -> x509.SubjectKeyIdentifier:
        return x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())

    def _made(self, subject: x509.Name, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        begin = datetime.now(UTC) - timedelta(days=1)
        made = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number())
        return made.not_valid_before(begin).not_valid_after(begin + timedelta(days=30))

    def _write(self, path: Path, made: x509.CertificateBuilder) -> None:
        path.write_bytes(made.sign(self._key, SHA256()).public_bytes(Encoding.PEM))


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
