#!/usr/bin/env bash
# Scores `nqueens check` over a folder of boards. Its truth.tsv has a row for each file: file, truth (right, wrong, none).
#
#   scripts/check-score.sh FOLDER [PROGRAM]
#
# Prints how many files of each truth have which exit status. Fails if a right board is accused (right 3), if a wrong one
# passes (wrong 0, none 0), or if less than 80 % of the right files are read (right 0).
set -euo pipefail
folder=${1:?give a folder with truth.tsv}
program=$(realpath "${2:-${CARGO_TARGET_DIR:-target}/release/nqueens}")
cd "$folder"
tail -n +2 truth.tsv | while IFS="$(printf '\t')" read -r file truth _; do
    status=0
    "$program" check "$file" --quiet >/dev/null 2>&1 || status=$?
    echo "$truth $status"
done | sort | uniq -c | awk '
    { print; count[$2 " " $3] = $1; if ($2 == "right") right += $1 }
    END { exit count["right 3"] + count["wrong 0"] + count["none 0"] > 0 || count["right 0"] < 0.8 * right }'
