"""Tests of who owns files."""
