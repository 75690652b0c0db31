#!/usr/bin/env python3
"""Runs an SFTP server for sshfs, and delivers each message late, as a network would.

    delayed.py MILLISECONDS SERVER [ARGUMENT...]

A request and its answer together take MILLISECONDS longer. The arguments are those that sshfs passes to ssh; they are
ignored.
"""

import os
import queue
import subprocess
import sys
import threading
import time

delay = float(sys.argv[1]) / 1000 / 2


def deliver(source, target):
    """Copies messages from one file descriptor to another, each after the delay, and closes the other at the end."""
    messages = queue.SimpleQueue()

    def write():
        while True:
            due, data = messages.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                os.close(target)
                return
            while data:
                data = data[os.write(target, data):]

    threading.Thread(target=write).start()
    data = True
    while data:
        data = os.read(source, 1 << 16)
        messages.put((time.monotonic() + delay, data))


server = subprocess.Popen([sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
threading.Thread(target=deliver, args=(0, server.stdin.fileno())).start()
deliver(server.stdout.fileno(), 1)
