"""Settings: one table, four sources, one value that is handed on.

Nothing else reads the environment or `repo_mcp.toml`.
"""
