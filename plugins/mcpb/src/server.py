"""Starts the server that this bundle names."""

import sys

from repo_mcp.server import main

sys.exit(main())
