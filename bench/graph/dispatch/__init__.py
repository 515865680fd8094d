"""Calls as they run: what test suites of real projects call, and which of it the graph has.

`record_python` and `record_node` run a suite and write pairs of functions, `records` reads them,
`linked_graph` links the project, `judge` finds each pair's edge, and `missed` says how the calls
that have none came about.
"""
