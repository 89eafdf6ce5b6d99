"""ZeroMQ sockets and typed messages: the vision worker's link, one endpoint a seat, and keys for TCP."""
