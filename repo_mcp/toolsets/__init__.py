"""MCP tools, prompts and resources: declarations that load fast, and their handlers."""
