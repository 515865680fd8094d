"""Which languages a repository has parsed, and by which extensions."""

from __future__ import annotations

from index_format.records import Record


class LanguageChoice(Record):
    """Languages whose files are not parsed, and further extensions with their languages."""

    disabled: tuple[str, ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()
