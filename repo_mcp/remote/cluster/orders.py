"""Orders to workers, as plain values, and the hashes that name recipes and results.

An order has all that its result depends on: the recipe as values, the job's message, and where the
files are. A result is named by the hash of its input: what a worker of any run, alive or dead, has
finished is found again, and files that have changed meanwhile give another name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgpack

from code_graph import Languages, expressions, facts, link
from code_graph.store import schema
from index_format import FORMAT_VERSION
from index_format.analysis import counting, word_pairs
from index_format.tuples import NamedTuple
from repo_mcp.indexing.build import chunking
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.safety import denylist
from repo_mcp.stored import FIELDS
from repo_mcp.text import files

BUILD: Final = "build"
MERGE: Final = "merge"
# makes the symbolic code of files, and edges
LOWER: Final = "lower"
LINK: Final = "link"
_DIGEST_BYTES: Final = 20
# where a machine keeps things; what is made does not depend on it
_PLACES: Final = frozenset(
    {"root", "data_dir", "index_dir", "real_root", "folder", "scip", "embedding_model", "shared"}
    | {"in_place", "copies", "blocks", "blocks_bytes", "remote_segments"}
)
PARTS: Final = "v1/parts"


class Order(NamedTuple):
    """One task: its kind, the recipe and its hash, the store, the job's message, the inputs.

    `inputs` says where the files are, see `sources`; empty: in the checkout.
    """

    kind: str
    recipe: dict[str, Any]
    recipe_hash: str
    store: str
    message: Any
    inputs: Sequence[Any] = ()

    @property
    def identity(self) -> str:
        """A name for the task: equal orders have equal names."""
        return digest([*self])


def digest(value: object) -> str:
    """The hash of plain values."""
    data: bytes = msgpack.packb(value, use_bin_type=True, unicode_errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def recipe_hash(recipe: Recipe) -> str:
    """A hash of all that decides which bytes are made of a file: settings and versions of code."""
    record = recipe.record()
    settings = [[name, record[name]] for name in sorted(record) if name not in _PLACES]
    versions = [
        FORMAT_VERSION,
        list(FIELDS),
        counting.VERSION,
        word_pairs.VERSION,
        chunking.VERSION,
        facts.VERSION,
        Languages(recipe.languages).signature(),
        denylist.signature(),
        files.VERSION,
        _model(recipe.embedding_model),
        _linking(),
    ]
    return digest([settings, versions])


def _linking() -> Sequence[object]:
    """The versions of what makes code and edges."""
    return [link.VERSION, link.SHARED_VERSION, schema.VERSION, expressions.VERSION]


def _model(model: str | None) -> object:
    if model is None:
        return None
    from repo_mcp.vectors import symbol_rows  # noqa: PLC0415 for vectors alone
    from repo_mcp.vectors.choice import identity_of  # noqa: PLC0415 as above

    return [identity_of(model), symbol_rows.VERSION]


def build_input(recipe: str, message: Any, fingerprints: Sequence[bytes]) -> str:  # noqa: ANN401 a job's message
    """The name of what is built of files with these contents."""
    return digest([BUILD, recipe, message, list(fingerprints)])


def merge_input(recipe: str, message: Any) -> str:  # noqa: ANN401 as above
    """The name of a merge; segments are named by their content."""
    return digest([MERGE, recipe, message])


def lower_input(recipe: str, paths: Sequence[str], fingerprints: Sequence[bytes]) -> str:
    """The name of the code of files with these contents, whose facts follow from the same."""
    return digest([LOWER, recipe, list(paths), list(fingerprints)])


def link_input(recipe: str, linker: str, tree: str, paths: Sequence[str]) -> str:
    """The name of the edges of files of a tree, which is named by all that is linked."""
    return digest([LINK, recipe, linker, tree, list(paths)])


def part(identity: str) -> str:
    """The object that says what was made of an input."""
    return f"{PARTS}/{identity}.note"


def part_segment(name: str) -> str:
    """The object of a segment that a run has made."""
    return f"{PARTS}/{name}"


def archive(identity: str) -> str:
    """The object of the files of one task."""
    return f"{PARTS}/{identity}.files"


def tree(identity: str) -> str:
    """The object that names the indexes of a tree."""
    return f"{PARTS}/{identity}.tree"
