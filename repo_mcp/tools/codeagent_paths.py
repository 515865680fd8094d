"""Steps up in a client's path, where they stay inside; all else is left to the sandbox."""

from __future__ import annotations


def collapsed(path: str) -> str:
    """The path without the steps up that stay inside, as text: `src/../a.py` is `a.py`.

    One that leads out is given back as it is, and the sandbox refuses it.
    """
    if ".." not in path:
        return path
    top = "/" if path.startswith("/") else ""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                return path
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    return top + "/".join(names)
