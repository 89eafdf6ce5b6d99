"""An SD-card image: a stage for pi-gen, and the entry for Raspberry Pi Imager."""
