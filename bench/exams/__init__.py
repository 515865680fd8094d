"""Exams of others, made anew by their recipes from public repositories, beside their figures."""
