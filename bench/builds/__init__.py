"""Compares the state of lines in a build with what a compiler says of them."""
