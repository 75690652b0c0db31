"""Models a count of `color` with many threads: how much of their time do they count?

    nqueens count 24 --dir r --shards 17369 --for 1s       # a plan with a shard for each unit
    python3 docs/color-split/threads.py r/plan.json CORE_SECONDS TERMS

CORE_SECONDS is the time of the count on one thread, TERMS the mean number of terms of a unit. Each thread takes the next unit
from one counter and borrows its family under one lock, one thread at a time: SERIAL seconds. For each term it locks the
programs and clones their pointer: four changes of cache lines that other threads change too, CHANGE seconds each. Both were
measured with two threads of a Xeon that do nothing else; take ten times as much for a machine with two sockets. The model
knows nothing of memory that all threads read at once, nor of clocks that sink if all cores are busy.
"""

import heapq, json, sys

SERIAL, CHANGE = 2.8e-7, 3.9e-8
costs = json.load(open(sys.argv[1]))["shard_milliseconds"]
core_seconds, terms = float(sys.argv[2]), float(sys.argv[3])
seconds = [core_seconds * cost / sum(costs) for cost in costs]
print(f"{len(seconds)} units, {1e3 * core_seconds / len(seconds):.3g} ms each, the longest {1e3 * max(seconds):.3g} ms")
for threads in (2, 16, 64, 128, 256):
    rows = []
    for factor in (0, 1, 10):
        free, counter = [0.0] * threads, 0.0
        for unit in seconds:
            counter = max(counter, heapq.heappop(free)) + factor * SERIAL
            heapq.heappush(free, counter + unit + 4 * factor * CHANGE * terms)
        rows.append(core_seconds / threads / max(free))
    print(f"{threads:4} threads: {rows[0]:.3f} if sharing is free, {rows[1]:.3f} as measured, {rows[2]:.3f} if ten times as slow")
