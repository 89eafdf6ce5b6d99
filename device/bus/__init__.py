"""ZeroMQ sockets in a private folder: where they are, and one endpoint a display."""
