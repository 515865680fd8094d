"""When the hook of a prompt speaks, whether what it says is right, and how long a person waits."""
