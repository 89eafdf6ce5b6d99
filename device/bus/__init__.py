"""Local sockets in a private folder: an endpoint for each display (ZeroMQ), a stream for each audience of pages."""
