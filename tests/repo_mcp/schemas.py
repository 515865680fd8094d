"""Answers compared with the schemas that tools declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema


def check_shape(data: object, schema: Mapping[str, Any]) -> None:
    """Fail unless the data has the shape; test_declarations.py checks the schemas themselves."""
    jsonschema.Draft202012Validator(schema).validate(data)
