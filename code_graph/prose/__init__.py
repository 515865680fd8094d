"""Markdown, reStructuredText, AsciiDoc, HTML and notebooks: headings as nested declarations."""
