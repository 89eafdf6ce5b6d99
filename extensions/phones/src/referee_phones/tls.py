"""The table's own certificates: nobody else vouches for a machine in a home.

Each audience has a key of its own, so that a worker which is taken over can pose as no other seat. They are signed by
an authority of this table alone, whose key no worker is ever given; it vouches for the table's names and no others, so
that a phone on which it is installed trusts it with nothing else. A browser warns once for each seat's page. Who
compares the fingerprint that `referee pages` prints knows that it is the table's.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from cryptography.x509.oid import ExtendedKeyUsageOID

from device import certificates as x509
from device.bus.page_frames import AUDIENCES
from engine.errors import RefereeError
from referee_phones.plan import Certificate
from vision.files import NoFile, private_dir, read_bytes, read_text, write_whole

DAYS = 3650
"""Of the authority."""

SERVED_DAYS, RENEWED = 820, timedelta(days=120)
"""Of a page's certificate, and so long before its end another takes its place. Phones of Apple's take none that is good
for more than 825 days (support.apple.com/103769)."""

AUTHORITY = "certificate.pem", "key.pem"


class NoCertificate(RefereeError, OSError):
    """There is none, and none can be made; the message says why and what to do."""


def certificates(folder: Path, names: Sequence[str]) -> dict[str, Certificate]:
    """Those in a folder, by audience; what is missing, spoiled, old, or for other names and addresses is made anew.
    Raises NoCertificate."""
    found = {each: Certificate(str(folder / f"{each}.pem"), str(folder / f"{each}.key")) for each in AUDIENCES}
    try:
        private_dir(folder)
        issuer = _kept(folder, names) or _authority(folder, names)
        for audience, each in found.items():
            if not _is_fresh(each, issuer, names):
                subject = f"Table referee, page {audience}"
                _write(each, *issuer.certify(subject, names, SERVED_DAYS, ExtendedKeyUsageOID.SERVER_AUTH))
    except (OSError, ValueError) as error:
        raise NoCertificate(f"no certificate can be made in {folder} ({error})") from error
    return found


def fingerprint(made: Certificate) -> str:
    """SHA-256 of the certificate, as browsers show it."""
    data = ssl.PEM_cert_to_DER_cert(read_text(Path(made.chain)))
    digits = hashlib.sha256(data).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def _kept(folder: Path, names: Sequence[str]) -> x509.Issuer | None:
    """Return the folder's authority; None if it has none for exactly these names."""
    try:
        found = x509.Issuer(*(read_bytes(folder / each) for each in AUTHORITY))
    except (ValueError, NoFile):
        return None
    return found if found.is_limited_to(names) else None


def _authority(folder: Path, names: Sequence[str]) -> x509.Issuer:
    """Make an authority in a folder."""
    made = x509.authority("Table referee", DAYS, names)
    _write(Certificate(*(str(folder / each) for each in AUTHORITY)), *made)
    return x509.Issuer(*made)


def _is_fresh(made: Certificate, issuer: x509.Issuer, names: Sequence[str]) -> bool:
    """Return True if a page's certificate can be used, and stays valid for a while."""
    try:
        made.context()
    except OSError:
        return False
    return issuer.vouches(read_bytes(Path(made.chain)), names, RENEWED)


def _write(made: Certificate, certificate: bytes, key: bytes) -> None:
    """Write a certificate after its key: where there is one there is its key."""
    write_whole(Path(made.key), key, mode=0o600)
    write_whole(Path(made.chain), certificate, mode=0o600)
