"""MCP as messages, and the pipe they come through."""
