"""What measures and makes, and does not ship: mutants of the engine, the training of the network."""
