"""The herald: tells a club's MQTT broker what the table says in public. Nothing comes back: it reads one socket, and
subscribes to nothing."""
