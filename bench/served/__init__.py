"""Measures one server for many users at once."""
