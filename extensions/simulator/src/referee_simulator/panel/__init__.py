"""The simulator's drawer on the table's page: presses pins, handles pieces, shows cameras and displays."""

from referee_simulator.panel.server import Bench
from referee_simulator.panel.stage import Auto, Knob, Pixels, Shot, Stage, Switch

__all__ = ["Auto", "Bench", "Knob", "Pixels", "Shot", "Stage", "Switch"]
