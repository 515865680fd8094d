"""Measures this project beside what a user would pick instead, on the same files and questions."""
