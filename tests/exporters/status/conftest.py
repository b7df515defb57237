"""The browser of the live page's tests."""

from tests.browsing import browser, context, watched  # noqa: F401 - fixtures
