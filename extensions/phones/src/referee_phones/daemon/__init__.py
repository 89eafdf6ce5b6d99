"""What of phones and pages runs in the daemon: sockets, links, seats, and the owner's and the camera's page."""
