"""A certificate: question, files, recipe, answer and evidence, sealed by a hash.

A recipe has the versions of all that finds edges. None of the parts depends on the machine, the
place of the repository, or how its index came to be.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox

FORM: Final = 1
_SEAL: Final = "sha256"
_PARTS: Final = ("form", "question", "tree", "recipe", "answer", "evidence")
_LENGTH_BYTES: Final = 8
# of the file of a certificate
MOST_BYTES: Final = 64 << 20
# a list of the answer whose rows are compared one by one
_LISTS: Final = ("results", "tests", "could_add", "doubts")

Certificate = Mapping[str, Any]


class TreeHash(NamedTuple):
    """The hash of all indexed files, by paths and contents, and the hash of each."""

    by_path: Mapping[str, str]
    total: str


def hash_tree(sandbox: Sandbox, text: Snapshot, budget: Budget) -> TreeHash:
    """Read each file of an index; raises a `Problem` if one is not as it was indexed."""
    total = hashlib.sha256()
    by_path: dict[str, str] = {}
    for path, known in _files(text):
        budget.check()
        data = sandbox.read(path, follow=False).data
        if fingerprint(data) != known:
            raise Problem("index_behind", f"{path} has changed since it was indexed")
        content = hashlib.sha256(data)
        by_path[path] = content.hexdigest()
        name = path.encode("utf-8", "surrogatepass")
        total.update(len(name).to_bytes(_LENGTH_BYTES, "big") + name + content.digest())
    return TreeHash(by_path, total.hexdigest())


def _files(text: Snapshot) -> Iterator[tuple[str, bytes]]:
    """The path and the fingerprint of each indexed file, in order of paths."""
    rows: list[tuple[bytes, bytes]] = []
    for segment in text.segments:
        prints = list(segment.reader.files.fingerprints())
        rows += ((path, prints[number]) for path, number in segment.live_files())
    for path, known in sorted(rows):
        yield path.decode("utf-8", "surrogatepass"), known


def seal(
    question: Mapping[str, object],
    tree: TreeHash,
    recipe: Mapping[str, object],
    answer: Mapping[str, object],
) -> Certificate:
    """The certificate of an answer; its evidence are the files that the answer names."""
    named = sorted(set(_paths_in(answer)) & tree.by_path.keys())
    parts = {
        "form": FORM,
        "question": question,
        "tree": {"files": len(tree.by_path), _SEAL: tree.total},
        "recipe": recipe,
        "answer": answer,
        "evidence": {path: tree.by_path[path] for path in named},
    }
    return {**parts, _SEAL: _hash_of(parts)}


def write(certificate: Certificate) -> str:
    """The text of a certificate, the same for equal ones."""
    return json.dumps(certificate, indent=1, sort_keys=True)


def read(text: bytes) -> Certificate:
    """The certificate of a text; raises a `Problem` if it is none."""
    if len(text) > MOST_BYTES:
        raise Problem("argument_invalid", f"the file has more than {MOST_BYTES >> 20} MiB")
    try:
        found: Any = json.loads(text, object_pairs_hook=_table)
    except (ValueError, RecursionError) as error:
        raise Problem("argument_invalid", f"the file is no certificate: {error}") from None
    has_parts = isinstance(found, dict) and all(name in found for name in (*_PARTS, _SEAL))
    mappings = [found[name] for name in _PARTS[1:]] if has_parts else []
    if not has_parts or not all(isinstance(part, dict) for part in mappings):
        raise Problem("argument_invalid", "the file is no certificate of `repo-mcp proof`")
    if found["form"] != FORM:
        raise Problem("argument_invalid", f"form {found['form']!r} is of another version")
    certificate: Certificate = found
    return certificate


def _table(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON; of a doubled key some readers see the first value, and others the last."""
    counts = Counter(name for name, _ in pairs)
    for name, count in counts.items():
        if count > 1:
            raise ValueError(f"it has {name!r} twice")
    return dict(pairs)


def differences(given: Certificate, here: Certificate) -> list[str]:
    """All in which a certificate is not one of these files; empty if it holds."""
    found: list[str] = []
    if given[_SEAL] != _hash_of({name: given[name] for name in _PARTS}):
        found.append("the certificate was changed after it was made")
    found += _differing_recipes(given["recipe"], here["recipe"])
    if given["tree"] != here["tree"]:
        found.append(_differing_files(given, here))
    found += _differing_answers(given["answer"], here["answer"])
    if not found and given["evidence"] != here["evidence"]:
        found.append("the evidence differs")
    if not found and write(given) != write(here):  # true is no 1, and 1.0 neither
        found.append("it has other values than a certificate of these files")
    return found


def _differing_recipes(given: Mapping[str, object], here: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(given.keys() | here.keys()):
        if given.get(name) != here.get(name):
            yield f"the recipe differs: {name} is {given.get(name)}, here {here.get(name)}"


def _differing_files(given: Certificate, here: Certificate) -> str:
    hashes: Mapping[str, object] = given["evidence"]
    changed = sorted(path for path, known in hashes.items() if here["evidence"].get(path) != known)
    if not changed:
        return "the files differ, but not those that the answer names"
    return f"the files differ, of the evidence {len(changed)} of {len(hashes)}: {changed[0]}"


def _differing_answers(given: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    for name in _LISTS:
        before, now = (_rows(answer.get(name)) for answer in (given, here))
        gone = [row for row in before if row not in now]
        more = [row for row in now if row not in before]
        if gone or more:
            yield f"{name} differ: {len(gone)} are not found here, {len(more)} are not in it"
    others = [name for name in sorted(given.keys() | here.keys()) if name not in _LISTS]
    for name in others:
        if given.get(name) != here.get(name):
            values = (json.dumps(answer.get(name)) for answer in (given, here))
            yield f"{name} differs: {', here '.join(values)}"


def _rows(value: object) -> Sequence[str]:
    rows = value if isinstance(value, list) else []
    return [json.dumps(row, sort_keys=True) for row in rows]


def _paths_in(value: object) -> Iterator[str]:
    """The paths that an answer names, in fields and as path:line."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name == "file_path" and isinstance(item, str):
                yield item
            elif name in {"could_add", "external_places"} and isinstance(item, list | tuple):
                yield from (str(row).rpartition(":")[0] for row in item)
            else:
                yield from _paths_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths_in(item)


def _hash_of(parts: Mapping[str, object]) -> str:
    text = json.dumps(parts, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
