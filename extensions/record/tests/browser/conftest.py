"""A browser, as other browser tests have it."""

from tests.browser.conftest import browser

__all__ = ["browser"]
