"""File watching: changes as the system reports them, in a process of its own."""
