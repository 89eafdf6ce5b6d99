"""What measures and makes, and does not ship: filmed boards, mutants of the engine, the training of the network."""
