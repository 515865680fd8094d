"""What changes break: planted ones beside compilers and type checkers."""
