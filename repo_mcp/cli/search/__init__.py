"""The command `search`: ranked and exact search for people and scripts."""
