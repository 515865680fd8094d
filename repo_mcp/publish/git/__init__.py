"""What the files of `.git` say: commits, trees, blobs. No program is started for it."""
