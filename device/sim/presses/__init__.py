"""Whole matches at the buttons alone (law 6): no camera, no pieces; what is pressed is held against the journal."""
