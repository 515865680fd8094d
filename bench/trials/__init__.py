"""Sessions of coding agents with and without the server: what recorded ones cost, and new ones."""
