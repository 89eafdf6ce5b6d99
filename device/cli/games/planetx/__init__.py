"""`referee planetx`: the sky, a game from its code, and a check of games made elsewhere."""

from device.cli.games.planetx.command import app

__all__ = ["app"]
