"""The commands `install` and `uninstall`: entries in clients' configuration files."""
