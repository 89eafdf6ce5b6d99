"""The simulation in real time, for people: the shipped daemon on simulated hardware."""
