"""shell scripts."""
