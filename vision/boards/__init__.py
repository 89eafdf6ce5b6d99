"""Boards of cells without markers: which cells were touched, and a recorded game against its moves."""
