"""Runs the session in asyncio loops, on an injected clock."""
