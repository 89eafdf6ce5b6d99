"""Connects local processes: a ZeroMQ endpoint per display, a stream per page audience."""
