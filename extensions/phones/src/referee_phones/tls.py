"""The table's own certificates, made by OpenSSL's command and kept: nobody else vouches for a machine in a home.

Each audience has a key of its own, so that a worker which is taken over can pose as no other seat. They are signed by
an authority of this table alone, whose key no worker is ever given; it vouches for the table's names and no others, so
that a phone on which it is installed trusts it with nothing else. A browser warns once for each seat's page. Who
compares the fingerprint that `referee pages` prints knows that it is the table's.
"""

from __future__ import annotations

import hashlib
import ssl
import subprocess
import time
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from device.bus.pages import AUDIENCES
from device.web.hosts import is_address
from engine.errors import RefereeError
from referee_phones.plan import Certificate
from vision.files import private_dir, read_text

DAYS = 3650
"""Of the authority."""

SERVED_DAYS, RENEWED_DAYS = 820, 700
"""Of a page's certificate, and its age from which on another takes its place. Phones of Apple's take none that is good
for more than 825 days (support.apple.com/103769)."""

COMMAND = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch")
AUTHORITY = Certificate("certificate.pem", "key.pem")
MADE_FOR = "names"
"""The file of the settings, so of the names, that the certificates were made with."""

EVERY_ADDRESS = ("IP:0.0.0.0/0.0.0.0", "IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0")
"""Of IPv4 and of IPv6."""

SETTINGS = """[req]
distinguished_name = subject
[subject]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
nameConstraints = critical, {within}
[page]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = {names}
"""
"""Of OpenSSL (x509v3_config(5))."""


class NoCertificate(RefereeError, OSError):
    """There is none, and none can be made; the message says why and what to do."""


def certificates(folder: Path, names: Sequence[str]) -> dict[str, Certificate]:
    """Those in a folder, by audience; what is missing, spoiled, old, or for other names and addresses is made anew.
    Raises NoCertificate."""
    found = {each: Certificate(str(folder / f"{each}.pem"), str(folder / f"{each}.key")) for each in AUDIENCES}
    try:
        private_dir(folder)
        if not _for(folder, names):
            _make_authority(folder, names)
        for audience, each in found.items():
            if not _fresh(each):
                _make_page(folder, audience, each)
    except OSError as error:
        raise NoCertificate(f"no certificate can be made in {folder} ({error}): install openssl") from error
    except subprocess.CalledProcessError as error:
        told = error.stderr.strip().splitlines()[-1:]
        raise NoCertificate(f"no certificate can be made in {folder}: {' '.join(told)}") from error
    return found


def fingerprint(made: Certificate) -> str:
    """SHA-256 of the certificate, as browsers show it."""
    data = ssl.PEM_cert_to_DER_cert(read_text(Path(made.chain)))
    digits = hashlib.sha256(data).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def _for(folder: Path, names: Sequence[str]) -> bool:
    """Return True if there is an authority for these names."""
    authority, known = Certificate(str(folder / AUTHORITY.chain), str(folder / AUTHORITY.key)), folder / MADE_FOR
    return _usable(authority) and known.exists() and read_text(known) == _settings(names)


def _fresh(made: Certificate) -> bool:
    """Return True if it can be used, and stays valid for a while."""
    return _usable(made) and time.time() < Path(made.chain).stat().st_mtime + RENEWED_DAYS * 86_400


def _usable(made: Certificate) -> bool:
    try:
        made.context()
    except OSError:
        return False
    return True


def _make_authority(folder: Path, names: Sequence[str]) -> None:
    """Make an authority. The file with its names is written last: once it exists, all pages' certificates are this
    authority's."""
    for old in (folder / MADE_FOR, *folder.glob("*.pem")):
        old.unlink(missing_ok=True)
    key, settings = folder / AUTHORITY.key, _settings(names)
    (folder / "settings").write_text(settings, encoding="ascii")
    about = ("-days", str(DAYS), "-subj", "/CN=Table referee", "-extensions", "authority")
    _run(folder, *about, "-keyout", str(key), "-out", str(folder / AUTHORITY.chain))
    key.chmod(0o600)
    (folder / MADE_FOR).write_text(settings, encoding="ascii")


def _make_page(folder: Path, audience: str, made: Certificate) -> None:
    """The certificate comes last: where there is one there is its key."""
    draft = Path(made.chain).with_suffix(".new")
    about = ("-days", str(SERVED_DAYS), "-subj", f"/CN=Table referee, page {audience}", "-extensions", "page")
    signed = ("-CA", str(folder / AUTHORITY.chain), "-CAkey", str(folder / AUTHORITY.key))
    _run(folder, *about, *signed, "-keyout", made.key, "-out", str(draft))
    Path(made.key).chmod(0o600)
    draft.replace(made.chain)


def _run(folder: Path, *options: str) -> None:
    command = (*COMMAND, "-config", str(folder / "settings"), *options)
    subprocess.run(command, check=True, capture_output=True, text=True)


def _settings(names: Sequence[str]) -> str:
    """Return OpenSSL's settings for an authority limited to these names, and for its pages' certificates."""
    within = [f"permitted;{_within(each)}" for each in names]
    if not any(map(is_address, names)):  # where no address is permitted all would be (RFC 5280, 4.2.1.10)
        within += [f"excluded;{each}" for each in EVERY_ADDRESS]
    return SETTINGS.format(names=",".join(map(_named, names)), within=",".join(within))


def _named(name: str) -> str:
    """A name or an address, as one of those that a certificate is for."""
    return f"IP:{name}" if is_address(name) else f"DNS:{name}"


def _within(name: str) -> str:
    """The same, as all that an authority may vouch for: an address with its mask (RFC 5280, 4.2.1.10)."""
    if not is_address(name):
        return f"DNS:{name}"
    mask = "255.255.255.255" if ip_address(name).version == 4 else ":".join(["ffff"] * 8)
    return f"IP:{name}/{mask}"
