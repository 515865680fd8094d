"""Leaves out of a text what needs no parser, and makes its facts; it parses nothing itself."""
