"""PHP in the linker: namespaces, `use`, traits."""
