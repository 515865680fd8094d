"""Messages of the process that reads documents, and the limits of both sides."""

from __future__ import annotations

from typing import Final

# kinds of messages: the text of a page, and the end with a reason, empty if all went well
PAGE: Final = "page"
END: Final = "end"
ENCRYPTED: Final = "it is encrypted"
DAMAGED: Final = "it is damaged, or needs too much memory"
MOST_PAGES: Final = 5_000
# of all pages together
MOST_CHARACTERS: Final = 8 << 20
