"""Issues the club's certificates for broker, host and tables, in a private folder. A table's key is only in its bundle
(`referee_record.herald.bundle`)."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from device import certificates
from engine.errors import RefereeError
from vision.files import BadFile, private_dir, read_bytes, write_whole

REVOKED = "revoked.pem"
"""Certificate revocation list (RFC 5280, 5)."""

AUTHORITY, BROKER, CLUB = "authority", "broker", "club"
"""Names of files (NAME.pem, NAME.key) and common names for the broker."""

HOME_ASSISTANT = "home-assistant"
"""Home Assistant's common name (config/broker/acl)."""

DAYS = {AUTHORITY: 3650, BROKER: 365}
USES = {BROKER: ExtendedKeyUsageOID.SERVER_AUTH, CLUB: ExtendedKeyUsageOID.CLIENT_AUTH}
OF_A_TABLE = 1095
SINCE = datetime(2020, 1, 1, tzinfo=UTC)
"""Beginning of the certificates: a table's clock may lag, without a network and a battery."""

RENEWED = timedelta(days=60)
"""Remaining time at which the host's own certificates are renewed."""


class NoAuthority(RefereeError, OSError):
    """No usable authority; the message has the remedy."""


class Authority:
    """A club's issuer of certificates."""

    def __init__(self, folder: Path, *, new: bool = True) -> None:
        """Load the folder's authority. new: create a missing one. Raises NoAuthority without a usable one."""
        try:
            self._folder = private_dir(folder)
            if not (folder / f"{AUTHORITY}.pem").exists():
                if not new:
                    raise NoAuthority(f"{folder} has lost the authority of this club's tables: put a copy of it back")
                self._make()
            self.certificate = read_bytes(folder / f"{AUTHORITY}.pem")
            self._issuer = certificates.Issuer(self.certificate, read_bytes(folder / f"{AUTHORITY}.key"))
        except NoAuthority:
            raise
        except (OSError, ValueError) as error:
            raise NoAuthority(f"the authority in {folder} cannot be used ({error}): put a copy of it back") from error

    def serve(self, names: Sequence[str]) -> bool:
        """Create or renew the certificates of broker (these names and addresses) and host; return True if one did
        change."""
        renewed = False
        for name, called in ((BROKER, tuple(names)), (CLUB, (CLUB,))):
            if not self._good(self._folder / f"{name}.pem", called):
                certificate, key = self.certify(name, called, DAYS[BROKER], USES[name])
                write_whole(self._folder / f"{name}.key", key, mode=0o600)
                write_whole(self._folder / f"{name}.pem", certificate, mode=0o600)
                renewed = True
        return renewed

    def certify(
        self,
        name: str,
        called: Sequence[str] = (),
        days: int = OF_A_TABLE,
        use: x509.ObjectIdentifier = ExtendedKeyUsageOID.CLIENT_AUTH,
    ) -> tuple[bytes, bytes]:
        """Return a certificate and key in PEM. called: further names and addresses. use: server or client (RFC 5280,
        4.2.1.12)."""
        return self._issuer.certify(name, called, days, use, SINCE)

    def revoke(self, serials: Iterable[int]) -> None:
        """Replace the list of revoked serial numbers, read when brokers start."""
        own = self._issuer.certificate
        made = x509.CertificateRevocationListBuilder().issuer_name(own.subject)
        made = made.last_update(SINCE).next_update(own.not_valid_after_utc)
        for serial in sorted(serials):
            each = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(SINCE)
            made = made.add_revoked_certificate(each.build())
        signed = made.add_extension(self._issuer.identifier, False).sign(self._issuer.key, SHA256())
        write_whole(self._folder / REVOKED, signed.public_bytes(Encoding.PEM), mode=0o600)

    def context(self) -> ssl.SSLContext:
        """Return the host's TLS context for the broker."""
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cadata=self.certificate.decode())
        context.load_cert_chain(self._folder / f"{CLUB}.pem", self._folder / f"{CLUB}.key")
        return context

    def _make(self) -> None:
        certificate, key = certificates.authority("Table referee: a club", DAYS[AUTHORITY], since=SINCE)
        write_whole(self._folder / f"{AUTHORITY}.key", key, mode=0o600)
        write_whole(self._folder / f"{AUTHORITY}.pem", certificate, mode=0o600)

    def _good(self, path: Path, called: Sequence[str]) -> bool:
        try:
            return self._issuer.vouches(read_bytes(path), called, RENEWED)
        except BadFile:
            return False


def ends(certificate: bytes) -> datetime:
    """Return a PEM certificate's expiry (RFC 5280, 4.1.2.5)."""
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc
