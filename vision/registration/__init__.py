"""Where camera, mat and lens are relative to each other: from pixels to millimetres."""
