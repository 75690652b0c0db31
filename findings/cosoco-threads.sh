#!/usr/bin/env bash
# Guess: Cosoco finds the 92 boards of 8 queens with one thread and with two, and says how many there are.
# What happens: with two threads it prints boards twice, no number of solutions, and SATISFIABLE as with one.
# Version: cosoco 2.6.1 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

python_with cosoco==2.6.1 </dev/null
queens=$(printf 'q[%d] ' {0..7})
sums=$(printf 'add(q[%d],%d) ' 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7)
cat >queens.xml <<XML
<instance format="XCSP3" type="CSP">
  <variables><array id="q" size="[8]"> 0..7 </array></variables>
  <constraints>
    <allDifferent> $queens </allDifferent>
    <allDifferent> $sums </allDifferent>
    <allDifferent> ${sums//add/sub} </allDifferent>
  </constraints>
</instance>
XML
answer() { python/bin/cosoco queens.xml -nbsols=0 "$@" 2>/dev/null | grep '^[vsd] '; }
same "s SATISFIABLE d N_SOLUTIONS 92" "$(answer -nbcores=1 | xargs)"
same "s SATISFIABLE" "$(answer -nbcores=2 | xargs)"
for threads in 1 2; do
    answer -nbcores=$threads -model=1 | grep '^v' >boards
    distinct=$(sort -u boards | wc -l)
    echo "$threads threads: $(wc -l <boards) boards, $distinct of them distinct"
    [ $(($(wc -l <boards) > distinct)) = $((threads - 1)) ]
done
