"""Thirty tasks on real repositories, done with the tools of this server and with rg and sed."""
