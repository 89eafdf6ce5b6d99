"""Maps pixels to millimetres: camera, mat and lens."""
