"""Makes the keeper's plan: everything that the workers serve."""

from __future__ import annotations

import gzip
import hashlib
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from device.locale import LANGUAGES, translate
from device.settings.table import PagesSettings
from device.web.audiences import AUDIENCES, CAMERA
from device.web.serving import own_name
from device.web.words import NO_PAGE
from engine.text import Text, say
from referee_phones.app import TABLE, Content, Demo, files, own
from referee_phones.plan import KEYS, Certificate, File, Place, Plan

SENTENCES: dict[str, Text] = {
    "no-page": NO_PAGE,
    "no-host": say(
        "The table does not know this name. Open the page by the table's IP address, or add the name to “hosts” under "
        "[pages] in the table file."
    ),
    "other-page": say(
        "The table refuses this page: its address differs from the one that was requested. A proxy between them must "
        "pass on the Host header as the browser sends it (nginx: $http_host)."
    ),
    "full": say("Too many pages are open here. Close some of them."),
    "away": say("The table is not ready. This page will continue by itself."),
    "large": say("The table cannot read this phone's pictures. Reload this page."),
    "reload": say("The table was updated. Reload this page."),
}
"""Sentences that a worker says itself; all others come from the daemon."""


def plan(
    pages: PagesSettings,
    language: str,
    folder: Path,
    listeners: Sequence[socket.socket],
    certificates: Mapping[str, Certificate] | None = None,
    shut_in: bool = True,
    demo: Demo | None = None,
) -> Plan:
    """Return the keeper's plan. Raises ResourceMissing or BadFile if a part of the app is missing.

    language: the table's
    folder: the daemon's sockets
    listeners: TCP sockets for AUDIENCES, then for a phone that is the camera
    certificates: by audience, if encrypted
    demo: at a virtual table"""
    served = dict(zip((*AUDIENCES, CAMERA), listeners, strict=False))
    ports = {audience: listener.getsockname()[1] for audience, listener in served.items()}
    seats = () if demo is None else tuple(demo.seats)
    places = (
        Place(
            audience,
            listener.fileno(),
            str(folder / f"{audience}.sock"),
            _files(own(audience, language, demo)),
            (certificates or {}).get(audience),
            () if demo is None or audience not in demo.beside else (demo.beside[audience].port,),
            tuple(ports[seat] for seat in seats) if audience == TABLE else (),
            (ports[TABLE],) if audience in seats else (),
        )
        for audience, listener in served.items()
    )
    names = tuple(host.lower().removesuffix(".") for host in (*pages.hosts, own_name()))
    said = {each: {key: translate(SENTENCES[key], each) for key in KEYS} for each in LANGUAGES}
    return Plan(tuple(places), _files(files()), names, said, language, shut_in)


def _files(contents: Mapping[str, Content]) -> dict[str, File]:
    return {path: file_of(each.kind, each.body) for path, each in contents.items()}


def file_of(kind: str, body: bytes) -> File:
    """Return a file as served."""
    packed = gzip.compress(body, mtime=0)
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    return File(kind, body, tag, packed if len(packed) < len(body) else b"")
