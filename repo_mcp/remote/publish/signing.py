"""Keys and signatures (ed25519) of what names a publication; the only module with cryptography.

A key is one line of text. A private one is in a file that its owner alone may read:

    repo-mcp-key:ed25519:<32 bytes, base64 of URLs without padding>

and the public one, which settings name, begins with `ed25519:`. A signature covers a statement:
fields of text, the first of which says what kind it is, with a zero byte between them. A zero byte
is in no field, so that no two statements have the same bytes.
"""

from __future__ import annotations

import base64
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from index_format.late_import import how_to_install
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.user_files import write_new

_PUBLIC: Final = "ed25519:"
_PRIVATE: Final = f"repo-mcp-key:{_PUBLIC}"
_CONTEXT: Final = "repo-mcp publication 1"
# permissions of the group and of everybody
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_SEED_BYTES: Final = 32
_KEY_BYTES: Final = 32
_MAX_FILE_BYTES: Final = 1 << 10
_PRIVATE_MODE: Final = 0o600


class Signature(NamedTuple):
    """A signature, and the public key that it claims to be of."""

    key: str
    text: str


class SigningKey:
    """A private key."""

    def __init__(self, seed: bytes) -> None:
        """Keep the seed, from which the key pair follows."""
        from nacl import bindings  # noqa: PLC0415 an extra, and only with keys

        public, self._secret = bindings.crypto_sign_seed_keypair(seed)
        self.public = _PUBLIC + _encode(public)

    def sign(self, fields: Iterable[str]) -> Signature:
        """The signature of a statement."""
        from nacl import bindings  # noqa: PLC0415 as above

        message = _message(fields)
        signed: bytes = bindings.crypto_sign(message, self._secret)
        return Signature(self.public, _encode(signed[: -len(message)]))


def is_public_key(text: str) -> bool:
    """True if this is the text of a public key."""
    data = _decode(text.removeprefix(_PUBLIC)) if text.startswith(_PUBLIC) else b""
    return len(data) == _KEY_BYTES


def check_public_keys(keys: Iterable[str]) -> None:
    """Refuse what is no public key; nothing is trusted by a key that was cut short."""
    for key in keys:
        check_library()
        if not is_public_key(key):
            raise Problem("argument_invalid", f"not a public key ({_PUBLIC}...): {key[:60]}")


def is_signed(fields: Iterable[str], signature: Signature) -> bool:
    """True if the signature is one of this statement, by the key that it names."""
    from nacl import bindings, exceptions  # noqa: PLC0415 as above

    key, signed = _decode(signature.key.removeprefix(_PUBLIC)), _decode(signature.text)
    message = _message(fields)
    with suppress(exceptions.CryptoError, ValueError, TypeError):
        opened: bytes = bindings.crypto_sign_open(signed + message, key)
        return opened == message
    return False


def make_key(path: str) -> str:
    """Write a new private key to a file that is not there yet; returns the public one."""
    check_library()
    seed = secrets.token_bytes(_SEED_BYTES)
    public = SigningKey(seed).public
    line = f"{_PRIVATE}{_encode(seed)}\n".encode("ascii")
    try:
        write_new(path, lambda file: file.write(line), _PRIVATE_MODE)
    except FileExistsError:
        raise Problem("argument_invalid", "the file is there already: keys are kept") from None
    except OSError as error:
        raise Problem("argument_invalid", f"can't write the file: {error.strerror}") from None
    return public


def read_key(path: str) -> SigningKey:
    """The private key in a file."""
    check_library()
    try:
        with Path(path).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_MAX_FILE_BYTES).decode("ascii", "replace").strip()
    except OSError as error:
        raise Problem("argument_invalid", f"can't read the key: {error.strerror}") from None
    seed = _decode(text.removeprefix(_PRIVATE)) if text.startswith(_PRIVATE) else b""
    if len(seed) != _SEED_BYTES:
        raise Problem("argument_invalid", "the file has no key: `repo-mcp keygen` makes one")
    if os.name != "nt" and mode & _OTHERS:  # on Windows, modes say nothing of who may read
        raise Problem(
            "argument_invalid",
            f"others may read the key, mode {stat.S_IMODE(mode):04o}: `chmod 600 {path}`, and if"
            " they may have read it, make a new one",
        )
    return SigningKey(seed)


def check_library() -> None:
    """Refuse to go on without the package that knows the signatures."""
    try:
        import nacl.bindings  # noqa: F401, PLC0415 as above
    except ImportError:
        message = f"signatures need the package PyNaCl: {how_to_install('cluster')}"
        raise Problem("argument_invalid", message) from None


def _message(fields: Iterable[str]) -> bytes:
    return "\0".join((_CONTEXT, *fields)).encode("ascii")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    """The bytes of a text in its one spelling; nothing for any other text."""
    with suppress(ValueError):
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if _encode(data) == text:
            return data
    return b""
