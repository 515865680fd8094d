"""Objects by name: in a folder, in an object store, on a web server; and segments read from there.

It knows nothing of what objects are for but that segments of indexes are among them. What is
published, found and collected is decided in `repo_mcp.remote.publish`.
"""
