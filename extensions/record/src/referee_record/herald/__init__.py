"""The herald: publishes the table's public stream to a club's MQTT broker.

It reads one socket and subscribes to nothing.
"""
