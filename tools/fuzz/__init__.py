"""Feeds every reader of outer files, the bus and the pages with mutations of what they should get."""
