"""The virtual table in the browser: it presses pins and handles pieces, and shows what cameras and displays show."""

from device.sim.panel.server import Panel
from device.sim.panel.stage import Auto, Knob, Pixels, Shot, Stage, Switch

__all__ = ["Auto", "Knob", "Panel", "Pixels", "Shot", "Stage", "Switch"]
