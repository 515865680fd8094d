"""Measures answers on public repositories with their history, which are not part of this one."""
