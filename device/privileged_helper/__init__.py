"""Runs the root helper, which does fixed jobs for the daemon."""
