"""The declarations of the files that differ, as one side of a change has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from code_graph import Languages
from code_graph.facts import FAILED, DamagedFactsError, Facts, decode
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.changes.sides import ComparedFile, Contents
from repo_mcp.history import FileVersions
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.text.files import decode as decode_text

# how many times longer all files may take than one question waits for a worker
_PATIENCE: Final = 4.0


class SideFacts(NamedTuple):
    """The texts and declarations by path, and files that were not parsed in time."""

    files: Mapping[str, tuple[str, Facts]]
    unparsed: list[str]


def read_side(
    manager: Indexes,
    text: Snapshot,
    contents: Mapping[str, bytes | None],
    overlay: Contents,
    seconds: float,
    budget: Budget,
) -> SideFacts:
    """The facts of these files; those that the index has are not made again.

    Files are parsed in a worker, since a text may be made to crash a parser.
    """
    wanted = {
        path: data
        for path, data in contents.items()
        if path and data is not None and manager.languages.language_of(path)
    }
    encoded: dict[str, bytes] = {}
    for path, data in wanted.items():
        known = None if path in overlay else text.file(path)
        if known is not None and known.fingerprint == fingerprint(data):
            encoded[path] = text.attachment(path, FACTS)
    left = [path for path in wanted if not encoded.get(path)]
    own = {path: wanted[path] for path in left}
    limit = budget.within(_PATIENCE * seconds)
    while left and not limit.spent:
        parsed = manager.on_demand.parse(left, seconds, limit, own)
        if not parsed:
            break
        encoded |= {path: item.facts for path, item in parsed.items()}
        left = [path for path in left if path not in parsed]
    return SideFacts(dict(_decoded(wanted, encoded)), left)


def versions_of(
    file: ComparedFile, old: SideFacts, new: SideFacts, languages: Languages
) -> FileVersions:
    """A file on both sides."""
    return FileVersions(
        file.old_path or file.new_path,
        file.new_path or file.old_path,
        old.files.get(file.old_path),
        new.files.get(file.new_path),
        languages.language_of(file.path),
    )


def _decoded(
    texts: Mapping[str, bytes], encoded: Mapping[str, bytes]
) -> Iterator[tuple[str, tuple[str, Facts]]]:
    for path, data in texts.items():
        text = decode_text(data)
        if text is None or not encoded.get(path):
            continue
        try:
            facts = decode(encoded[path])
        except DamagedFactsError:
            continue
        if facts.status != FAILED:
            yield path, (text.content, facts)
