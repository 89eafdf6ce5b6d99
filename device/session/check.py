"""Compares the table with the required set-up before the first action."""

from __future__ import annotations

import msgspec

from device.session.state import Session
from device.session.table import Table
from engine.arbiter import repairs_from_scratch
from engine.table import Health, Layout, Observation, Sight
from engine.text import Text, say
from vision.mat import Mat

GONE = say("The camera sends no pictures. Check its cable, or its page on the phone, or enter each move yourself.")
"""Shown whenever the camera sends nothing, on displays, on pages and to the owner."""

STARTING = say("The camera is starting.")
LOOKING = say("Looking at the table...")


def faults(layout: Layout, observation: Observation) -> tuple[Text, ...]:
    """Return everything to put right: camera trouble, else misplaced pieces, else unrecognised ones."""
    if observation.health is not Health.OK:
        return (trouble(observation.health),)
    wrong = repairs_from_scratch(layout, observation)
    return wrong or tuple(
        say("{count} not recognised in {zone}.", count=count, zone=Text(zone.zone))
        for zone in layout.zones
        if (count := _count_unrecognised(observation, zone.zone))
    )


def trouble(health: Health, other: Mat | None = None, wanted: Mat | None = None) -> Text:
    """Return the camera's health as a sentence. other: the mat found instead of `wanted`."""
    if health is Health.NO_MAT and other is not None and wanted is not None:
        return say("Wrong mat: {other}. Needed: {mat}.", other=Text(other.title), mat=Text(wanted.title))
    return {
        Health.OK: say("The camera sees the table."),
        Health.NO_FRAMES: GONE,
        Health.NO_NETWORK: say(
            "The referee isn't allowed to use the network, so it can't reach the camera. Use another camera."
        ),
        Health.UNREACHABLE: say("Nothing answers at the camera's address. Check the address and the camera's power."),
        Health.REFUSED: say("The camera rejects the user name or password. Correct them in its address."),
        Health.NO_VIDEO: say("The camera's address leads to no video. Copy it from the camera's app or manual."),
        Health.STALLED: say("The camera's stream has stopped. Check its power and its network."),
        Health.ENDED: say("The camera has ended its stream. Start it again at the camera."),
        Health.FORBIDDEN: say("The camera can't be used yet. Switch the referee off and on."),
        Health.NO_MAT: say("The camera can't find the mat. Uncover its corners."),
        Health.MIRRORED: say("The camera's picture is mirrored. Turn mirroring off."),
        Health.DARK: say("Too dark for the camera."),
        Health.GLARE: say("Too much glare for the camera."),
        Health.BUMPED: say("The mat or the camera moved. Please wait."),
        Health.SHAKING: say("The picture keeps moving. Tighten the camera's arm or stand."),
    }[health]


def unseen(table: Table, session: Session, mat: str | None) -> Text | None:
    """Return why the camera can't help; None if it can. mat: the required one."""
    if session.silence is not None:
        return session.silence
    if session.health is Health.OK:
        return None
    if session.instead and session.instead == mat:
        return LOOKING  # this report still belongs to the look before
    return trouble(session.health, table.mats.get(session.instead), table.mats.get(mat or ""))


def is_awaited(session: Session) -> bool:
    """Return True while the camera starts, or has not seen the table yet."""
    if session.silence is not None:
        return session.starting
    return session.health is Health.OK and session.seen is None


def is_lost(session: Session) -> bool:
    """Return True if the camera sends nothing and isn't just starting."""
    return session.health.lost if session.silence is None else not session.starting


def begin_look(session: Session) -> Session:
    """Forget the last observation and a wrong or mirrored mat; darkness and a lost picture still hold."""
    health = Health.OK if session.health in (Health.NO_MAT, Health.MIRRORED) else session.health
    return msgspec.structs.replace(session, seen=None, health=health, instead="")


def _count_unrecognised(observation: Observation, zone: str) -> int:
    return sum(
        piece is not None and piece.sight is not Sight.SEEN
        for sight in observation.zones
        if sight.zone == zone
        for piece in sight.pieces
    )
