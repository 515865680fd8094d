"""MCP: JSON-RPC messages, protocol versions, sessions, tool calls and tasks."""
