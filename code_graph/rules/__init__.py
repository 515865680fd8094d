"""What differs between languages in linking, one folder each."""
