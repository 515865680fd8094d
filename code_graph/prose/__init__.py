"""Markdown and reStructuredText: headings as nested declarations."""
