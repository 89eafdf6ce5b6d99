"""Signs and publishes matches from the daemon."""
