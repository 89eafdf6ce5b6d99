"""Makes the table's own TLS certificates.

Each audience has its own key, so that a compromised worker can pose as no other seat. The table's authority signs
them; no worker gets its key, and name constraints limit it to the table's names, so that a phone that installs it
trusts it for nothing else. Browsers warn once per page; `referee pages` prints the fingerprints."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from cryptography.x509.oid import ExtendedKeyUsageOID

from device import certificates as x509
from device.web.audiences import AUDIENCES
from engine.errors import RefereeError
from referee_phones.plan import Certificate
from vision.files import NoFile, private_dir, read_bytes, read_text, write_whole

DAYS = 3650
"""Validity of the authority."""

SERVED_DAYS, RENEWED = 820, timedelta(days=120)
"""Validity of a page's certificate, and when it is renewed before its end. Apple accepts 825 days at most
(support.apple.com/103769)."""

AUTHORITY = "certificate.pem", "key.pem"


class NoCertificate(RefereeError, OSError):
    """No certificate can be made; the message says why and what to do."""


def certificates(folder: Path, names: Sequence[str], audiences: Sequence[str] = AUDIENCES) -> dict[str, Certificate]:
    """Return the folder's certificates by audience, renewing missing, damaged, old or wrong ones. Raises
    NoCertificate."""
    found = {each: Certificate(str(folder / f"{each}.pem"), str(folder / f"{each}.key")) for each in audiences}
    try:
        private_dir(folder)
        issuer = _stored_issuer(folder, names) or _authority(folder, names)
        for audience, each in found.items():
            if not _is_fresh(each, issuer, names):
                subject = f"Table referee, page {audience}"
                _write(each, *issuer.certify(subject, names, SERVED_DAYS, ExtendedKeyUsageOID.SERVER_AUTH))
    except (OSError, ValueError) as error:
        raise NoCertificate(f"no certificate can be made in {folder} ({error})") from error
    return found


def fingerprint(made: Certificate) -> str:
    """Return a certificate's SHA-256 as browsers show it."""
    data = ssl.PEM_cert_to_DER_cert(read_text(Path(made.chain)))
    digits = hashlib.sha256(data).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def _stored_issuer(folder: Path, names: Sequence[str]) -> x509.Issuer | None:
    """Return the folder's authority; None if missing, damaged or not for exactly these names."""
    try:
        found = x509.Issuer(*(read_bytes(folder / each) for each in AUTHORITY))
    except (ValueError, NoFile):
        return None
    return found if found.is_limited_to(names) else None


def _authority(folder: Path, names: Sequence[str]) -> x509.Issuer:
    made = x509.authority("Table referee", DAYS, names)
    _write(Certificate(*(str(folder / each) for each in AUTHORITY)), *made)
    return x509.Issuer(*made)


def _is_fresh(made: Certificate, issuer: x509.Issuer, names: Sequence[str]) -> bool:
    try:
        made.context()
    except OSError:
        return False
    return issuer.vouches(read_bytes(Path(made.chain)), names, RENEWED)


def _write(made: Certificate, certificate: bytes, key: bytes) -> None:
    """Write a certificate after its key, so that none lacks its key."""
    write_whole(Path(made.key), key, mode=0o600)
    write_whole(Path(made.chain), certificate, mode=0o600)
