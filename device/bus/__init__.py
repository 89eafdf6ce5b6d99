"""Connects other processes to the daemon: a ZeroMQ endpoint per display, unix sockets and their frames."""
