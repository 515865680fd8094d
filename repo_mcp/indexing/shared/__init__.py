"""Index files that checkouts of one machine share, as the index of one checkout reads them.

What goes into the shared folder and what leaves it is decided in
`repo_mcp.remote.publish.shared_cache`.
"""
