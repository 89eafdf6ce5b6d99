"""The Debian package: a finished environment for each release and machine, built without emulation."""
