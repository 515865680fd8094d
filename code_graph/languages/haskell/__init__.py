"""Haskell."""
