"""Where index files live: the contract, and stores in a folder, in memory and with injected faults.

Only `file_store` touches a disk. Nothing here knows the files' content.
"""
