"""Terraform."""
