"""The commands that show one file: `outline` and `open`."""
