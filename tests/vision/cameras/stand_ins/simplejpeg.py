"""Built on the system's numpy, as on a Pi: with another one it cannot be imported."""

from libcamera.board import board

if not board.numpy_fits:
    raise ValueError(
        "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject"
    )
