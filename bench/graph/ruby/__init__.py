"""Calls of Ruby beside those that its tests make."""
