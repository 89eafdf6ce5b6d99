"""Issues X.509 certificates (RFC 5280) for a table or club."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID

from device.web.host_names import is_address

EVERY_ADDRESS = tuple(x509.IPAddress(ip_network(each)) for each in ("0.0.0.0/0", "::/0"))


Pair: TypeAlias = tuple[bytes, bytes]
"""A certificate and its key in PEM."""


class Issuer:
    """A signing authority."""

    def __init__(self, certificate: bytes, key: bytes) -> None:
        """Load an authority in PEM. Raises ValueError."""
        try:
            found = load_pem_private_key(key, None)
        except TypeError as error:  # it has a passphrase
            raise ValueError(str(error)) from error
        self.certificate = x509.load_pem_x509_certificate(certificate)
        if not isinstance(found, EllipticCurvePrivateKey) or found.public_key() != self.certificate.public_key():
            raise ValueError("the key is not the authority's")
        self.key = found

    def certify(
        self,
        subject: str,
        called: Sequence[str],
        days: int,
        use: x509.ObjectIdentifier,
        since: datetime | None = None,
    ) -> Pair:
        """Return a certificate with a new key. subject: common name. called: a server's names and addresses. days:
        validity. use: server or client (RFC 5280, 4.2.1.12). since: its beginning; yesterday if None."""
        key = generate_private_key(SECP256R1())
        made = _builder(_common_name(subject), self.certificate.subject, key, days, since)
        if called:
            made = made.add_extension(x509.SubjectAlternativeName([_alternative(each) for each in called]), False)
        made = made.add_extension(self.identifier, False).add_extension(x509.BasicConstraints(False, None), True)
        made = made.add_extension(x509.ExtendedKeyUsage([use]), False)
        return _sign(made, self.key), _private(key)

    def vouches(self, certificate: bytes, called: Sequence[str], left: timedelta) -> bool:
        """Return True if this authority signed the certificate for exactly these names, in this order, and it is valid
        now and for `left`."""
        try:
            found = x509.load_pem_x509_certificate(certificate)
            found.verify_directly_issued_by(self.certificate)
            names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
            return False
        valid = found.not_valid_before_utc <= datetime.now(UTC) < found.not_valid_after_utc - left
        return valid and list(names) == [_alternative(each) for each in called]

    def is_limited_to(self, names: Sequence[str]) -> bool:
        """Return True if the authority may certify exactly these names, in this order."""
        extensions = self.certificate.extensions
        return any(each.value == _limits(names) for each in extensions if each.oid == x509.NameConstraints.oid)

    @property
    def identifier(self) -> x509.AuthorityKeyIdentifier:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())


def authority(subject: str, days: int, limited_to: Sequence[str] = (), since: datetime | None = None) -> Pair:
    """Return a new authority. limited_to: names it may certify; all if empty. since: its beginning, by default
    yesterday."""
    key, name = generate_private_key(SECP256R1()), _common_name(subject)
    made = _builder(name, name, key, days, since).add_extension(x509.BasicConstraints(True, 0), True)
    made = made.add_extension(_SIGNS, True)
    made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    if limited_to:
        made = made.add_extension(_limits(limited_to), True)
    return _sign(made, key), _private(key)


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


def _limits(names: Sequence[str]) -> x509.NameConstraints:
    excluded = None if any(map(is_address, names)) else EVERY_ADDRESS
    return x509.NameConstraints([_permitted_name(each) for each in names], excluded)


def _permitted_name(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_network(name)) if is_address(name) else x509.DNSName(name)


def _alternative(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if is_address(name) else x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, days: int, since: datetime | None
) -> x509.CertificateBuilder:
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    yesterday = datetime.now(UTC) - timedelta(days=1)
    made = made.serial_number(x509.random_serial_number())
    return made.not_valid_before(since or yesterday).not_valid_after(yesterday + timedelta(days=days))


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _sign(made: x509.CertificateBuilder, key: EllipticCurvePrivateKey) -> bytes:
    return made.sign(key, SHA256()).public_bytes(Encoding.PEM)


def _private(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
