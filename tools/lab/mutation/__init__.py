"""Mutation testing of the engine: mutmut's changes, tried against the tests that reach them."""
