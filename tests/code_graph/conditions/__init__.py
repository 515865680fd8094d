"""Tests of conditional compilation."""
