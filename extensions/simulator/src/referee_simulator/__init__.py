"""The virtual table: stands in for camera, pins and displays, never for the program (law 7)."""
