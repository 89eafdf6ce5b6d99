"""The bench of the virtual table, a drawer of the table's page: it presses pins and handles pieces, and shows what
cameras and displays show."""

from referee_simulator.panel.server import Bench
from referee_simulator.panel.stage import Auto, Knob, Pixels, Shot, Stage, Switch

__all__ = ["Auto", "Bench", "Knob", "Pixels", "Shot", "Stage", "Switch"]
