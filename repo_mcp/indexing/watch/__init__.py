"""Changes as the system reports them, from a process of its own."""
