"""Whole matches at the buttons alone (law 6): no camera, no pieces; the presses are checked against the journal."""
