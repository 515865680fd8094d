"""MCP over HTTP: the SDK's transports in front of the core; loaded only for `--http`."""
