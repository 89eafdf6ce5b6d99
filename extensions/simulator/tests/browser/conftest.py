"""A browser and virtual tables, as other browser tests have them."""

from tests.browser.conftest import browser, chrome, evening, table

__all__ = ["browser", "chrome", "evening", "table"]
