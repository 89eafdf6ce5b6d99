"""The set-up check: what lies wrong or is missing before the first action."""

from __future__ import annotations

from engine.arbiter.expectation import plain
from engine.arbiter.repair import repairs
from engine.table import Health, Layout, Observation, Sight
from engine.text import Text, say


def faults(layout: Layout, observation: Observation) -> tuple[Text, ...]:
    """What to put right before the table is as it should be. Here even what is only covered or unknown is named."""
    if observation.health is not Health.OK:
        return (trouble(observation.health),)
    wrong = repairs(plain(layout, {}), observation)
    return wrong or tuple(
        say("{count} not recognised in {zone}.", count=count, zone=Text(zone.zone))
        for zone in layout.zones
        if (count := _unrecognised(observation, zone.zone))
    )


def trouble(health: Health) -> Text:
    """A sentence for each way in which the camera can fail."""
    return {
        Health.OK: say("The camera sees the table."),
        Health.NO_FRAMES: say("The camera is gone. Go on with the buttons."),
        Health.NO_MAT: say("The camera does not find the mat: uncover its corners."),
        Health.DARK: say("Too dark for the camera."),
        Health.GLARE: say("Too much glare for the camera."),
        Health.BUMPED: say("Mat or camera was moved. Please wait."),
    }[health]


def _unrecognised(observation: Observation, zone: str) -> int:
    return sum(
        piece is not None and piece.sight is not Sight.SEEN
        for sight in observation.zones
        if sight.zone == zone
        for piece in sight.pieces
    )
