"""`python -m repo_mcp`: the program, without modules of the current folder.

Python puts the current folder first on the path for `-m`, and it may be a repository with modules
of its own. It is taken off before anything else is imported; `python -P -m repo_mcp` never puts it
there.
"""

import sys

if not sys.flags.safe_path:
    sys.path.pop(0)

from repo_mcp.server import main

if __name__ == "__main__":
    sys.exit(main())
