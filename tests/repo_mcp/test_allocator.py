"""Memory that threads have freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[2]
# eight threads free 16 MB each, all but the last block, which keeps the rest in the process
FREED = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from repo_mcp.allocator import release_freed_memory
ready, kept = threading.Barrier(8), []
def work():
    blocks = [bytes(4000) for _ in range(4000)]
    ready.wait()
    kept.append(blocks[-1])
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
release_freed_memory()
before = resident()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
after = resident()
assert release_freed_memory()
print(before, after, resident())
"""


# eight threads at once, each with 8 MB of stack; an arena takes 64 MB of addresses
THREADS = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from repo_mcp.allocator import share_arena
ready = threading.Barrier(9)
def work():
    held = [bytes(4000) for _ in range(100)]
    ready.wait()
    ready.wait()
def addresses():
    return int(open("/proc/self/statm").read().split()[0]) * 4096
if sys.argv[2] == "shared":
    assert share_arena()
before = addresses()
for _ in range(8):
    threading.Thread(target=work).start()
ready.wait()
print(addresses() - before)
ready.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="arenas of glibc")
def test_threads_share_an_arena() -> None:
    def grown(mode: str) -> int:
        command = [sys.executable, "-P", "-c", THREADS, str(ROOT), mode]
        return int(subprocess.check_output(command))

    assert grown("own") - grown("shared") > 8 * 48 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="arenas of glibc")
def test_memory_that_threads_freed_is_given_back() -> None:
    output = subprocess.check_output([sys.executable, "-P", "-c", FREED, str(ROOT)])
    before, after, released = map(int, output.split())
    assert after - before > 50 << 20
    assert released - before < 10 << 20
