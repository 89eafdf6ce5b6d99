"""ZeroMQ sockets in a private folder: their addresses, and one endpoint for each display."""
