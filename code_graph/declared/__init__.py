"""The evaluation that languages share which declare types."""
