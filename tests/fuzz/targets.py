"""All targets by name."""

from __future__ import annotations

from typing import Final

from tests.fuzz import (
    data_folder_targets,
    index_targets,
    language_targets,
    project_targets,
    protocol_targets,
    publish_targets,
    repository_targets,
    search_targets,
    tool_targets,
)
from tests.fuzz.engine import Target

_SUBJECTS: Final = (
    protocol_targets,
    tool_targets,
    search_targets,
    repository_targets,
    language_targets,
    project_targets,
    index_targets,
    data_folder_targets,
    publish_targets,
)
TARGETS: Final[dict[str, Target]] = {
    target.name: target for subject in _SUBJECTS for target in subject.TARGETS
}
