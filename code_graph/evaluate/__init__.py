"""Evaluates symbolic code across files: what names, members and calls may stand for."""
