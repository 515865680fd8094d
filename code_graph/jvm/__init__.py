"""Types of the JVM's library, and the names by which its languages call each other's members."""
