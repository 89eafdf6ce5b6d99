"""Follows boards of cells without markers: which cells were touched, and a filmed game against its moves."""
