"""Svelte."""
