"""Readers of the formats of manifests: JSON with comments, TOML and XML, with limits."""
