"""The steward: the one process with root's rights. It does a few fixed things when the daemon asks."""
