"""The certificates for a scheduler that the user names, which Dask's own settings name.

These are files in `~/.config/dask` or variables of the environment, as for Dask's scheduler and
workers: the user's, and none that a repository has a part in.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from dask import config
from distributed import Security

from repo_mcp.errors import Problem

_KEYS: Final = (
    "distributed.comm.tls.ca-file",
    "distributed.comm.tls.client.cert",
    "distributed.comm.tls.client.key",
)


def check_certificates(url: str) -> None:
    """`Problem` for an address that needs certificates, where there are none of use."""
    if config.get("distributed.client.security-loader"):
        return  # the user's own function finds them
    security = Security()  # type: ignore[no-untyped-call]
    if url.startswith("tls://"):
        _check_files(security)
    elif security.require_encryption and not url.startswith("local:"):
        detail = "Dask's settings require encryption: name the engine tls://HOST:PORT"
        raise Problem("argument_invalid", detail)


def _check_files(security: Any) -> None:  # noqa: ANN401 its fields have no types
    named = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    lacking = [key for key, value in zip(_KEYS, named, strict=True) if not value]
    if set(lacking) - {_KEYS[2]}:  # the key may be in the file of the certificate
        detail = f"tls:// needs certificates: set {', '.join(lacking)} in ~/.config/dask, or"
        names = (f"DASK_{key.upper().replace('.', '__').replace('-', '_')}" for key in lacking)
        raise Problem("argument_invalid", f"{detail} {', '.join(names)}")
    for key, value in zip(_KEYS, named, strict=True):
        if value and "\n" not in value:  # else it is the text of a certificate
            try:
                _check_file(value, is_private=key == _KEYS[2])
            except OSError as error:
                raise Problem("argument_invalid", f"{key}: {value}: {error.strerror}") from None
    try:
        security.get_connection_args("client")
    except OSError as error:
        detail = f"{', '.join(_KEYS)}: no certificate with its key, or no PEM: {error.strerror}"
        raise Problem("argument_invalid", detail) from None


def _check_file(path: str, *, is_private: bool) -> None:
    with Path(path).open("rb") as file:
        found = os.fstat(file.fileno())
    if is_private and os.name != "nt":
        # an administrator's may be for the user's group, as secrets of containers are
        others = 0o077 if found.st_uid == os.getuid() else 0o007
        if found.st_mode & others:
            detail = f"{_KEYS[2]}: {path}: others can read this key: chmod 600"
            raise Problem("argument_invalid", detail)
