"""Imported by picamera2, and not used here."""


class _Formats:
    def __getattr__(self, name: str) -> str:
        return name


PixelFormats = _Formats()
