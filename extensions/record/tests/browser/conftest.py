"""A browser, as other browser tests have it."""

from tests.browser.conftest import browser, chrome

__all__ = ["browser", "chrome"]
