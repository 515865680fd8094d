"""Make."""
