"""Published indexes on this machine: the folder that its checkouts share, and reading in place.

It decides what checkouts lend each other; how an index reads shared files is in
`repo_mcp.indexing.shared`.
"""
