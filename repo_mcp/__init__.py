"""A local MCP server with which AI coding clients search a very large repository."""

__version__ = "0.1.0"
