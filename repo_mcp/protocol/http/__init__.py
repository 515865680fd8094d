"""HTTP: a listener with limits, and MCP behind it; loaded only where HTTP is served.

`server` puts the SDK's transports in front of the core; `listener` and what it needs serve any
application, also that of the pages.
"""
