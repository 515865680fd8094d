"""The commands `install` and `uninstall`: entries in the configuration files of clients."""
