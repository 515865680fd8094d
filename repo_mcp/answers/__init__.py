"""Answers as records: a class says the fields of an answer, their meanings, and its plain text.

Services and tools make them, and each face presents them: MCP as structured data and text, the
command line as lines and JSON, pages as HTML. A face reads fields, never what another face has
written. Here is no I/O, no index and no protocol.
"""
