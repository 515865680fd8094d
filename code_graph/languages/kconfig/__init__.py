"""Kconfig, the settings of kernels and firmware."""
