"""Names the extension, for its catalogue."""

from __future__ import annotations

from device.extensions import Extension

extension = Extension("tab")
