"""Publishing and pulling over a link of limited speed: bytes, requests, seconds."""
