"""Astro."""
