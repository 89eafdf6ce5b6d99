"""Everything else that touches the world: daemon, bus, buttons, displays, journal, command line."""
