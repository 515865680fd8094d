"""Tests of the builds of a tree."""
