"""The learned order of files: its training, and how it does where nobody tuned."""
