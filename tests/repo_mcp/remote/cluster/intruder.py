"""A program that tries to run code at addresses where Dask's servers may listen.

It reads JSON from standard input: the user whose rights it takes, `[address, operation, folder]`
for each attempt, where code that runs there would make the folder, files of certificates by their
roles, and the seconds after which an attempt has hung. It prints how each attempt ended, `answered`
or the name of an exception.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import distributed.comm.registry
from distributed.protocol import pickle

# most of Dask has no types
get_backend: Any = distributed.comm.registry.get_backend
dumps: Any = pickle.dumps
Security: Any = distributed.Security


async def attempt(address: str, operation: str, folder: str, credentials: dict[str, Any]) -> str:
    """Call an operation of a server that runs the function which it is sent."""
    scheme, place = address.split("://")
    try:
        comm = await get_backend(scheme).get_connector().connect(place, **credentials)
        await comm.write(comm.handshake_info())
        await comm.read()
        comm.handshake_options = {}
        call = {"function": dumps(os.mkdir), "args": dumps((folder,)), "kwargs": dumps({})}
        await comm.write({"op": operation, "reply": True, "wait": True, **call})
        await comm.read()
    except Exception as error:  # noqa: BLE001 each kind of refusal is reported
        return type(error).__name__
    return "answered"


async def attempt_all(order: dict[str, Any], credentials: dict[str, Any]) -> list[str]:
    """Make all attempts at once."""
    limited = [
        asyncio.wait_for(attempt(address, operation, folder, credentials), order["patience"])
        for address, operation, folder in order["attempts"]
    ]
    found = await asyncio.gather(*limited, return_exceptions=True)
    return [item if isinstance(item, str) else type(item).__name__ for item in found]


def main() -> None:
    order = json.load(sys.stdin)
    # made with the rights of the caller, who may be the only one that can read packages
    security = Security(**order["files"]) if order["files"] else Security.temporary()
    credentials = {**security.get_connection_args("client"), "require_encryption": False}
    if order["user"] is not None:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    json.dump(asyncio.run(attempt_all(order, credentials)), sys.stdout)


if __name__ == "__main__":
    main()
