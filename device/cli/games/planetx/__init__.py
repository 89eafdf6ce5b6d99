"""`referee planetx`: lists boards, draws a game from its code, and checks games made elsewhere."""

from device.cli.games.planetx.command import app

__all__ = ["app"]
