"""Serves pages from the daemon: sockets, links, phones' seats, the owner's and the camera's page."""
