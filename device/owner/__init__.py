"""What the owner of a table does with it beside playing: claiming it, its first run, enrolling, checking, settings."""
