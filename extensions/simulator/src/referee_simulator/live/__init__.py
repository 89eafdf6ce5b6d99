"""The simulation in real time, for people: the shipped daemon on simulated pins, displays and camera, and the panel."""
