"""The daemon: the session among its loops, on a clock that is handed in."""
