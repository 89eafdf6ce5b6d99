"""A table that a herald listens to, as the herald's own tests have it."""

from extensions.record.tests.herald.conftest import table

__all__ = ["table"]
