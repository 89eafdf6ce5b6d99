"""Shares the web site, tokens, languages and words of all pages."""
