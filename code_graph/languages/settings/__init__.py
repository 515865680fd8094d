"""Settings of services: templates of environments, compose files, manifests, properties."""
