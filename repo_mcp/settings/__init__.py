"""Settings: one table and four sources, merged into one value.

Nothing else reads the environment or `repo_mcp.toml`. This is the door; three modules are doors of
their own: `project_root` (the root when none is given), `retrieval_roots` (the two folders of the
toolset `retrieval`), and `workspace_roots` (several roots).
"""

from __future__ import annotations

from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import import_on_first_use
from repo_mcp.settings.load import (
    Options,
    allows_plain_http,
    check_options,
    data_dir_of,
    fix_paths,
    http_token,
    merge_settings,
    packages_folder,
    read_options,
    root_options,
    usual_data_folder,
    workspace_options,
)
from repo_mcp.settings.project_root import DATA_FOLDER
from repo_mcp.settings.table import (
    BY_KEY,
    BY_NAME,
    MORE_TABLES,
    OFF,
    ON,
    SETTINGS,
    Setting,
    Value,
)
from repo_mcp.settings.values import (
    ConfigError,
    allowed_values,
    find_path_problem,
    is_address,
    is_part,
)

if TYPE_CHECKING:
    from repo_mcp.settings.repository_file import (
        FILE_NAME,
        KnownNames,
        RepoConfig,
        RulingFiles,
    )

# not imported at start: the server starts without reading a repository's file
_LATE: Final = {
    "repository_file": "FILE_NAME KnownNames RepoConfig RulingFiles",
}

__getattr__ = import_on_first_use(__name__, _LATE)
