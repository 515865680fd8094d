"""Clients of others in front of this server, driven without a network: see docs/clients.md."""
