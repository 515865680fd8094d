"""The entry of child processes: `python -P -m repo_mcp.processes.entry MODULE`.

Before the module's `main` is run, numpy is told to load its core alone (`lean_numpy`), which takes
an eighth from the processor time of indexing a few files. What needs more of numpy completes it.
"""

from __future__ import annotations

import sys
from importlib import import_module

from index_format import lean_numpy


def main() -> None:
    """Run the `main` of the module that the command line names."""
    lean_numpy.install()
    import_module(sys.argv[1]).main()


if __name__ == "__main__":
    main()
