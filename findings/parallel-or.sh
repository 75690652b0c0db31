#!/usr/bin/env bash
# Guess: moreutils' parallel returns the highest exit status of its jobs.
# What happens: it joins them bit by bit. Jobs of status 1 and 2 give 3, jobs of 16 and 3 give 19, which no job had.
# Version: moreutils 0.67-1 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with moreutils=0.67-1
seen=
for jobs in '1 2' '16 3' '75 74'; do
    status=0
    read -r one other <<<"$jobs"
    debian/usr/bin/parallel -j 2 -- "exit $one" "exit $other" || status=$?
    seen+="$one and $other: $status. "
done
same "1 and 2: 3. 16 and 3: 19. 75 and 74: 75. " "$seen"
