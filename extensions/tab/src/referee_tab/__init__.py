"""The table in a browser's tab: engine, session and pages without a server."""
