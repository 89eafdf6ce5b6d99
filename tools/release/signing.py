"""Signatures of files by OpenSSH (`ssh-keygen -Y`), which every Raspberry Pi OS has: FILE.sig beside FILE."""

from __future__ import annotations

import subprocess
from pathlib import Path

NAMESPACE = "table-referee"
"""Signatures for anything else are none for a release. tools/package/referee-errand names it, too."""


class SigningError(Exception):
    """The key cannot be used; the message says why."""


def allowed_signers(key: Path) -> str:
    """Return the key's public half as ssh-keygen(1) reads it, under "ALLOWED SIGNERS". Raises SigningError.

    key: a private key, beside which KEY.pub is; or KEY.pub alone, if an agent or a security key signs.
    """
    public = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    try:
        kind, body, *_ = public.read_text(encoding="utf-8").split()
    except (OSError, ValueError) as error:
        raise SigningError(
            f"there is no public key {public}: ssh-keygen -t ed25519 -f {key.with_suffix('')}"
        ) from error
    return f'{NAMESPACE} namespaces="{NAMESPACE}" {kind} {body}\n'


def sign(key: Path, file: Path) -> Path:
    """Write FILE.sig; return its path. Raises SigningError."""
    signature = file.with_name(f"{file.name}.sig")
    signature.unlink(missing_ok=True)
    words = ["ssh-keygen", "-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key), str(file)]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode or not signature.exists():
        raise SigningError(f"{file.name} was not signed: {done.stderr.strip()}")
    return signature
