"""Small objects that name a publication: labels, pins and commits; signed ones, and moving labels.

A note is an object of JSON with the publication and, if it is signed, a number, a public key and a
signature. The signature covers where the note stands, so that it says nothing elsewhere:

    label, <label>, <number>, <publication>
    commit, <signature of the recipe>, <commit>, <number>, <publication>

A publisher's numbers grow, so that one who has seen a label moved can tell an older note of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectReader, ObjectStore
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.signing import Signature, SigningKey, is_public_key, is_signed

# each failed attempt means that another publisher has moved the label
_ATTEMPTS: Final = 20
_KEY: Final = "publication"
_NUMBER: Final = "number"
_MOST: Final = 1 << 62


class PublicationNote(NamedTuple):
    """The content of a note; without a signature its number is 0."""

    publication: str
    number: int = 0
    signature: Signature | None = None

    def is_by(self, keys: Sequence[str], place: Sequence[str]) -> bool:
        """True if one of these public keys has signed it for this place."""
        signature = self.signature
        if signature is None or signature.key not in keys:
            return False
        return is_signed(_statement(place, self.number, self.publication), signature)


class Signer(NamedTuple):
    """Signs notes; `clock` gives the least number of a note."""

    key: SigningKey
    clock: Callable[[], float] = time.time

    def next_number(self, before: PublicationNote | None, place: Sequence[str]) -> int:
        """A number above that of the note before."""
        now = int(self.clock() * 1000)
        if before is None:
            return now
        # one that is far ahead of all clocks, and not ours, is nobody's who has a key
        known = before.is_by([self.key.public], place) or before.number <= 2 * now
        return max(now, before.number + 1) if known else now

    def note(self, identity: str, place: Sequence[str], number: int) -> bytes:
        """The bytes of a signed note."""
        signature = self.key.sign(_statement(place, number, identity))
        return encode_note(PublicationNote(identity, number, signature))


def label_place(label: str) -> tuple[str, ...]:
    """The name of a label's note."""
    return "label", label


def commit_place(signature: str, commit: str) -> tuple[str, ...]:
    """The name of a commit's note, for indexes with this signature."""
    return "commit", signature, commit


def encode_note(note: PublicationNote) -> bytes:
    """The bytes of an object that names this publication."""
    document: dict[str, object] = {_KEY: note.publication}
    if note.signature is not None:
        key, text = note.signature
        document |= {_NUMBER: note.number, "key": key, "signature": text}
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def read_note(store: ObjectReader, name: str) -> PublicationNote | None:
    """The note of an object; None if there is no such object."""
    found = store.get(name, names.MAX_NOTE_BYTES)
    return None if found is None else _decode(found.data, name)


def read_label(
    store: ObjectReader, label: str, trust: Sequence[str], last_number: Callable[[str], int]
) -> PublicationNote:
    """The note of a label; raises a `Problem` for none, and for one that no key of `trust` signed.

    Without keys anyone's is taken. With them none is older than what was taken before.
    """
    note = read_note(store, names.label(label))
    if note is None:
        raise Problem("publication_missing", f"there is no label {label}")
    if not trust:
        return note
    if not note.is_by(trust, label_place(label)):
        # only a key is shown: the text is a stranger's
        key = "" if note.signature is None else note.signature.key
        who = key if is_public_key(key) else "no key"
        raise Problem("publication_untrusted", f"label {label}, signed by {who}")
    if note.number < last_number(label):
        raise Problem("publication_untrusted", f"label {label} is older than when last pulled")
    return note


def move_label(store: ObjectStore, label: str, identity: str, signer: Signer | None = None) -> bool:
    """Let a label name this publication, whatever it named before; whether it was moved.

    Every move is a compare-and-swap: of two publishers at once one comes last, and that one's
    publication is named.
    """
    name, place = names.label(label), label_place(label)
    for _ in range(_ATTEMPTS):
        found = store.get(name, names.MAX_NOTE_BYTES)
        before = None if found is None else _read_any(found.data)
        if before is not None and before.publication == identity:
            wanted = signer is None or before.is_by([signer.key.public], place)
            if wanted:
                return False
        if signer is None:
            data = encode_note(PublicationNote(identity))
        else:
            data = signer.note(identity, place, signer.next_number(before, place))
        if found is None:
            moved = store.create(name, data)
        else:
            moved = store.replace(name, data, found.version)
        if moved:
            return True
        # a retried request may meet its own first attempt: the next round sees that
    raise Problem("store_unavailable", f"the label {label} is moved faster than it can be read")


def _statement(place: Sequence[str], number: int, publication: str) -> tuple[str, ...]:
    return *place, str(number), publication


def _read_any(data: bytes) -> PublicationNote | None:
    """A note that may be damaged: a label can always be moved."""
    try:
        return _decode(data, "")
    except Problem:
        return None


def _decode(data: bytes, name: str) -> PublicationNote:
    try:
        return _build(json.loads(data.decode("ascii")))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise Problem("publication_invalid", f"{name} names no publication") from error


def _build(document: dict[str, Any]) -> PublicationNote:
    identity = document[_KEY]
    if not isinstance(identity, str) or not names.is_publication(identity):
        raise ValueError
    if "signature" not in document:
        return PublicationNote(identity)
    number, key, text = document[_NUMBER], document["key"], document["signature"]
    if type(number) is not int or not 0 <= number < _MOST:
        raise ValueError
    if type(key) is not str or type(text) is not str:
        raise ValueError
    return PublicationNote(identity, number, Signature(key, text))
