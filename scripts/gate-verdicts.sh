#!/bin/sh
# Measures how often the gate errs: the table of verdicts in gate/README.md. It compares a C program of 30 ms with
# heads of known speed, beside a number of busy processes.
#
#   scripts/gate-verdicts.sh ABGATE [GATES [BUDGET]]    GATES of each kind, default 5, of BUDGET at most, default 20s
#
# Each gate is a line on standard output: load, kind, exit status, verdict, the load average before it. The table follows.
set -eu

abgate=$1 gates=${2:-5} budget=${3:-20s}
folder=$(mktemp -d)
busy=
finish() {
    for process in $busy; do kill "$process" 2>/dev/null || :; done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

# Arguments: thousands of steps, then `sleep` milliseconds, `threads` of 2, `flaky` for ten times the steps in a quarter
# of all runs.
cat >"$folder/work.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
static volatile unsigned long kept;
static void *work(void *steps) {
    unsigned long x = 1;
    for (long left = *(long *)steps; left > 0; left--) x = x * 6364136223846793005UL + 1442695040888963407UL;
    kept = x;
    return 0;
}
int main(int count, char **words) {
    long steps = 1000 * atol(words[1]);
    int threads = 1;
    if (count > 2 && !strcmp(words[2], "sleep")) usleep(1000 * atol(words[3]));
    if (count > 2 && !strcmp(words[2], "threads")) threads = 2;
    unsigned char chance = 255;
    if (count > 2 && !strcmp(words[2], "flaky") && getrandom(&chance, 1, 0) == 1 && chance < 64) steps *= 10;
    steps /= threads;
    pthread_t other;
    if (threads == 2) pthread_create(&other, 0, work, &steps);
    work(&steps);
    if (threads == 2) pthread_join(other, 0);
    puts("92");
}
C
cc -O1 -pthread -o "$folder/old" "$folder/work.c"
cp "$folder/old" "$folder/new"

gate() {
    kind=$1 base=$2 head=$3
    average=$(cut -d ' ' -f 1 /proc/loadavg)
    status=0
    found=$("$abgate" --quiet --budget "$budget" --base "$folder/old $base" --head "$folder/new $head" </dev/null) || status=$?
    verdict=$(printf '%s\n' "$found" | tail -n 1)
    printf '%s\t%s\t%s\t%s\t%s\n' "$load" "$kind" "$status" "$average" "$verdict" | tee -a "$folder/verdicts"
}

for load in 0 4 8; do
    while [ "$(echo "$busy" | wc -w)" -lt "$load" ]; do
        sh -c 'while :; do :; done' &
        busy="$busy $!"
    done
    for _ in $(seq "$gates"); do
        gate equal 30000 30000
        # The start of the program takes 0.5 ms.
        gate '3 % slower' 30000 30920
        gate '5 % slower' 30000 31500
        gate '10 % slower' 30000 33000
        gate 'waits 10 ms more' 30000 '30000 sleep 10'
        gate 'one thread instead of two' '30000 threads' 30000
        gate '10 times slower in a quarter of its runs' 30000 '30000 flaky'
    done
done

echo
echo '| busy processes | head | gates | pass | inconclusive | regression |'
echo '| ---: | --- | ---: | ---: | ---: | ---: |'
awk -F '\t' '{ key = $1 " | " $2; if (!(key in all)) order[++kinds] = key; all[key]++; ends[key, $3]++ }
    END { for (i = 1; i <= kinds; i++) { key = order[i]
        printf "| %s | %d | %d | %d | %d |\n", key, all[key], ends[key, 0], ends[key, 5], ends[key, 4] } }' "$folder/verdicts"
