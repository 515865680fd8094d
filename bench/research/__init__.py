"""Questions to research with answers that were read from the sources."""
