"""Settings every test shares."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import settings

# No deadline: a busy machine is no reason for a red test.
settings.register_profile("default", deadline=None)
# The same examples every time, so that a red build is red again on the next run.
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("nightly", deadline=None, max_examples=5_000, print_blob=True)

settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
)

# Shells start what runs in the background with this signal ignored, and programs that tests start
# would inherit that: whether it is heeded is for them to show.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Whoosh draws the names of its temporary files by chance, and with one seed for all the processes
# that run tests they would be the same names: each has a folder of its own.
tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="t-")
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
