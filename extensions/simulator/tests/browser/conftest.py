"""A browser and virtual tables, as other browser tests have them."""

from tests.browser.conftest import browser, evening, table

__all__ = ["browser", "evening", "table"]
