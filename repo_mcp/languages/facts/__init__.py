"""Facts of one file: the model, and the bytes they are stored as."""
