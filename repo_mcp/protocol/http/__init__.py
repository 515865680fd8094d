"""MCP over HTTP, by the SDK's transports in front of the same core; loaded for `--http` only."""
