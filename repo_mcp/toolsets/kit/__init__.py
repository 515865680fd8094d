"""Shared by all toolsets: declarations, arguments, running a call, cursors and rendering."""
