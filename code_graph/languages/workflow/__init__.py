"""jobs of CI in YAML."""
