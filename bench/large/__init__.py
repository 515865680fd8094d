"""Questions about a very large tree whose answers other programs know, asked of a server."""
