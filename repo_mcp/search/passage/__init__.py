"""What a hit shows: lines of the current file, narrowed to what matches."""
