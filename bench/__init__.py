"""What is fast, measured: never a test of right or wrong."""
