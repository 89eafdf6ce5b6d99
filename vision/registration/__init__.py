"""Where camera, mat and lens stand to one another: from pixels to millimetres."""
