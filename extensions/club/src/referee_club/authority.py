"""The club's certificates: an authority of its own vouches for its broker, its host and its tables.

All lie in one folder that its owner alone reads. A table's key is in no file of the club: it is made for a bundle,
which the table takes (`referee_record.herald.bundle`).
"""

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
            self.certificate = read_bytes(folder / f"{AUTHORITY}.pem")
            self._issuer = certificates.Issuer(self.certificate, read_bytes(folder / f"{AUTHORITY}.key"))
        except NoAuthority:
            raise
        except (OSError, ValueError) as error:
            raise NoAuthority(f"the authority in {folder} cannot be used ({error}): put a copy of it back") from error

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
        return self._issuer.certify(name, called, days, use)

    def revoke(self, serials: Iterable[int]) -> None:
        """Certificates of these numbers are good no more, and no others; brokers read it at their start."""
        begin = datetime.now(UTC) - timedelta(days=1)
        own = self._issuer.certificate
        made = x509.CertificateRevocationListBuilder().issuer_name(own.subject)
        made = made.last_update(begin).next_update(own.not_valid_after_utc)
        for serial in sorted(serials):
            each = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(begin)
            made = made.add_revoked_certificate(each.build())
        signed = made.add_extension(self._issuer.identifier, False).sign(self._issuer.key, SHA256())
        write_whole(self._folder / REVOKED, signed.public_bytes(Encoding.PEM), mode=0o600)

    def context(self) -> ssl.SSLContext:
        """Return the TLS context with which the club's host checks the broker and identifies itself."""
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cadata=self.certificate.decode())
        context.load_cert_chain(self._folder / f"{CLUB}.pem", self._folder / f"{CLUB}.key")
        return context

    def _make(self) -> None:
        """The certificate comes last: where there is one there is its key."""
        certificate, key = certificates.authority("Table referee: a club", DAYS[AUTHORITY])
        write_whole(self._folder / f"{AUTHORITY}.key", key, mode=0o600)
        write_whole(self._folder / f"{AUTHORITY}.pem", certificate, mode=0o600)

    def _good(self, path: Path, called: Sequence[str]) -> bool:
        """Return True if this authority's certificate for these names exists and stays valid for a while."""
        try:
            return self._issuer.vouches(read_bytes(path), called, RENEWED)
        except BadFile:
            return False


def ends(certificate: bytes) -> datetime:
    """Return when a certificate, in PEM, expires (RFC 5280, 4.1.2.5)."""
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc
