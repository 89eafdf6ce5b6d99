"""The virtual table: stands in for camera, pins and displays, never for the program (law 7)."""

from device.extensions import Extension

extension = Extension(
    "simulator",
    commands={"simulate": "referee_simulator.command", "conformance": "referee_simulator.conformance.command"},
)
