"""Models a count of `color` with many threads: which share of their time do they spend counting?

    nqueens count 24 --dir r --shards 17369 --for 1s       # a plan with a shard for each unit
    python3 docs/color-split/threads.py r/plan.json CORE_SECONDS TERMS

CORE_SECONDS is the time of the count on one thread, and TERMS is the mean number of terms of a unit. Each thread takes
the next unit from one counter and borrows its family under one lock, which takes SERIAL seconds and lets only one
thread through at a time. For each term, the thread locks the programs and clones their pointer, and so changes four
cache lines that other threads change too, at CHANGE seconds each. Both constants were measured with two threads of a
Xeon that did nothing else; for a machine with two sockets, assume ten times as much. The model ignores the bandwidth of
memory, and clocks that drop when all cores are busy.
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
