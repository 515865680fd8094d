"""Protocol Buffers."""
