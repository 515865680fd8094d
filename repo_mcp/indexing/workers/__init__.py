"""Processes that build, merge, parse and link, and the jobs that they take."""
