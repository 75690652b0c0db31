#!/usr/bin/env bash
# Guess: a second lock object on a locked file is refused, in another process and in the same one.
# What happens: fasteners grants it in the same process. filelock, portalocker and zc.lockfile refuse it.
# Version: fasteners 0.20, filelock 4.3.1, portalocker 4.4.2, zc.lockfile 4.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with fasteners==0.20 filelock==4.3.1 portalocker==4.4.2 zc.lockfile==4.0 <<'PYTHON'
import fasteners
import filelock
import portalocker
import zc.lockfile

def twice(name, lock):
    held = lock()
    try:
        print(name, "granted" if lock() and held else "refused")
    except Exception as error:
        print(name, "refused", type(error).__name__)

class Held(fasteners.InterProcessLock):
    def __init__(self):
        super().__init__("a")
        self.granted = self.acquire(blocking=False)

    def __bool__(self):
        return self.granted

twice("fasteners", Held)
twice("filelock", lambda: filelock.FileLock("b").acquire(timeout=0))
twice("portalocker", lambda: portalocker.Lock("c", timeout=0).acquire())
twice("zc.lockfile", lambda: zc.lockfile.LockFile("d"))
PYTHON
)
same "fasteners granted
filelock refused Timeout
portalocker refused AlreadyLocked
zc.lockfile refused LockError" "$seen"
