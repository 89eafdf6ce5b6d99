"""The club's certificates: an authority of its own vouches for its broker, its host and its tables.

All lie in one folder that its owner alone reads. A table's key is in no file of the club: it is made for a bundle,
which the table takes (`referee_record.herald.bundle`).
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

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
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from engine.errors import RefereeError
from vision.files import NoFile, private_dir, read_bytes, write_whole

REVOKED = "revoked.pem"
"""The list of certificates that are good no more (RFC 5280, 5), beside them."""

AUTHORITY, BROKER, CLUB = "authority", "broker", "club"
"""Names of files: NAME.pem and NAME.key. A certificate's common name is its file's, by which the broker knows it."""

HOME_ASSISTANT = "home-assistant"
"""The common name of its certificate (config/broker/acl)."""

DAYS = {AUTHORITY: 3650, BROKER: 365}
USES = {BROKER: ExtendedKeyUsageOID.SERVER_AUTH, CLUB: ExtendedKeyUsageOID.CLIENT_AUTH}
OF_A_TABLE = 1095
RENEWED = timedelta(days=60)
"""So long before its end a certificate of the club's own host is made anew, when that is started."""

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


class NoAuthority(RefereeError, OSError):
    """There is no authority that can be used; the message says why and what to do."""


class Authority:
    """Vouches for names. Raises NoAuthority if what lies there is spoiled."""

    def __init__(self, folder: Path, *, new: bool = True) -> None:
        """The one in a folder. new: it is made if there is none yet."""
        try:
            self._folder = private_dir(folder)
            if not (folder / f"{AUTHORITY}.pem").exists():
                if not new:
                    raise NoAuthority(f"{folder} has lost the authority of this club's tables: put a copy of it back")
                self._make()
            key = load_pem_private_key(read_bytes(folder / f"{AUTHORITY}.key"), None)
            self.certificate = read_bytes(folder / f"{AUTHORITY}.pem")
            self._own = x509.load_pem_x509_certificate(self.certificate)
        except NoAuthority:
            raise
        except (OSError, ValueError, TypeError, NoFile) as error:
            raise NoAuthority(f"the authority in {folder} cannot be used ({error}): put a copy of it back") from error
        if not isinstance(key, EllipticCurvePrivateKey):
            raise NoAuthority(f"{folder / AUTHORITY}.key is not the authority's key: put a copy of it back")
        self._key = key

    def serve(self, names: Sequence[str]) -> None:
        """The files of the broker, called by these names and addresses, and of the club's host are there, and good for
        a while yet."""
        for name, called in ((BROKER, tuple(names)), (CLUB, (CLUB,))):
            if not self._good(self._folder / f"{name}.pem", called):
                certificate, key = self.certify(name, called, DAYS[BROKER], USES[name])
                write_whole(self._folder / f"{name}.key", key, mode=0o600)
                write_whole(self._folder / f"{name}.pem", certificate, mode=0o600)

    def certify(
        self,
        name: str,
        called: Sequence[str] = (),
        days: int = OF_A_TABLE,
        use: x509.ObjectIdentifier = ExtendedKeyUsageOID.CLIENT_AUTH,
    ) -> tuple[bytes, bytes]:
        """A certificate for a name, and its key, both in PEM. called: also for these names and addresses. use: who
        shows it, a server or whoever comes to one (RFC 5280, 4.2.1.12)."""
        key = generate_private_key(SECP256R1())
        made = _begun(_named(name), self._own.subject, key, days)
        if called:
            made = made.add_extension(x509.SubjectAlternativeName([_alternative(each) for each in called]), False)
        known = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = made.add_extension(known, False).add_extension(x509.BasicConstraints(False, None), True)
        made = made.add_extension(x509.ExtendedKeyUsage([use]), False)
        return made.sign(self._key, SHA256()).public_bytes(Encoding.PEM), _private(key)

    def revoke(self, serials: Iterable[int]) -> None:
        """Certificates of these numbers are good no more, and no others; brokers read it at their start."""
        begin = datetime.now(UTC) - timedelta(days=1)
        made = x509.CertificateRevocationListBuilder().issuer_name(self._own.subject)
        made = made.last_update(begin).next_update(self._own.not_valid_after_utc)
        for serial in sorted(serials):
            each = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(begin)
            made = made.add_revoked_certificate(each.build())
        known = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = made.add_extension(known, False).sign(self._key, SHA256())
        write_whole(self._folder / REVOKED, signed.public_bytes(Encoding.PEM), mode=0o600)

    def context(self) -> ssl.SSLContext:
        """Return the TLS context with which the club's host checks the broker and identifies itself."""
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cadata=self.certificate.decode())
        context.load_cert_chain(self._folder / f"{CLUB}.pem", self._folder / f"{CLUB}.key")
        return context

    def _make(self) -> None:
        """The certificate comes last: where there is one there is its key."""
        key, name = generate_private_key(SECP256R1()), _named("Table referee: a club")
        made = _begun(name, name, key, DAYS[AUTHORITY]).add_extension(x509.BasicConstraints(True, 0), True)
        made = made.add_extension(_SIGNS, True)
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        write_whole(self._folder / f"{AUTHORITY}.key", _private(key), mode=0o600)
        pem = made.sign(key, SHA256()).public_bytes(Encoding.PEM)
        write_whole(self._folder / f"{AUTHORITY}.pem", pem, mode=0o600)

    def _good(self, path: Path, called: Sequence[str]) -> bool:
        """Return True if this authority's certificate for these names exists and stays valid for a while."""
        try:
            found = x509.load_pem_x509_certificate(read_bytes(path))
            found.verify_directly_issued_by(self._own)
            names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except (OSError, ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
            return False
        ends = found.not_valid_after_utc - datetime.now(UTC)
        return list(names) == [_alternative(each) for each in called] and ends > RENEWED


def ends(certificate: bytes) -> datetime:
    """Return when a certificate, in PEM, expires (RFC 5280, 4.1.2.5)."""
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc


def _begun(subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, days: int) -> x509.CertificateBuilder:
    """Begin a certificate that has been valid for a day, as clocks of tables differ."""
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    begin = datetime.now(UTC) - timedelta(days=1)
    made = made.serial_number(x509.random_serial_number())
    return made.not_valid_before(begin).not_valid_after(begin + timedelta(days=days))


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _private(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
