"""The table's own certificate, made once by OpenSSL's command and kept: nobody else vouches for a machine in a home.

A browser warns of it once for each seat's page. Who compares the fingerprint that `referee pages` prints knows that it
is the table's.
"""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from device.pages.plan import Certificate
from engine.errors import RefereeError
from vision.files import private_dir, read_text

DAYS = 3650
COMMAND = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch")


class NoCertificate(RefereeError, OSError):
    """There is none, and none can be made; the message says why and what to do."""


def certificate(folder: Path, names: Sequence[str]) -> Certificate:
    """The one in a folder; if there is none it is made, for these names and addresses. Raises NoCertificate."""
    made = Certificate(str(folder / "certificate.pem"), str(folder / "key.pem"))
    if not Path(made.chain).exists():
        try:
            private_dir(folder)
            _make(made, names)
        except OSError as error:
            raise NoCertificate(f"no certificate can be made in {folder} ({error}): install openssl") from error
        except subprocess.CalledProcessError as error:
            told = error.stderr.strip().splitlines()[-1:]
            raise NoCertificate(f"no certificate can be made in {folder}: {' '.join(told)}") from error
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.chain, made.key)
    except (OSError, ssl.SSLError) as error:
        raise NoCertificate(f"{made.chain} cannot be used ({error}): remove it, and a new one is made") from error
    return made


def fingerprint(made: Certificate) -> str:
    """SHA-256 of the certificate, as browsers show it."""
    data = ssl.PEM_cert_to_DER_cert(read_text(Path(made.chain)))
    digits = hashlib.sha256(data).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def _make(made: Certificate, names: Sequence[str]) -> None:
    """The certificate comes last: where there is one there is its key."""
    draft = Path(made.chain).with_suffix(".new")
    named = ",".join(_named(name) for name in names)
    about = ("-days", str(DAYS), "-subj", "/CN=Table referee", "-addext", f"subjectAltName={named}")
    command = (*COMMAND, *about, "-keyout", made.key, "-out", str(draft))
    subprocess.run(command, check=True, capture_output=True, text=True)
    Path(made.key).chmod(0o600)
    draft.replace(made.chain)


def _named(name: str) -> str:
    try:
        ip_address(name)
    except ValueError:
        return f"DNS:{name}"
    return f"IP:{name}"
