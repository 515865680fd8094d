"""Help of the command line: its form, typing errors, completion of shells, the manual page."""
