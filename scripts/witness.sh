#!/usr/bin/env bash
# Counts with public programs that are not ours, and compares with the published counts. Then shows three programs that are
# wrong. Fails if a count of the first table is not the published one. Needs the network and Python 3.11.
#
#   scripts/witness.sh [SECONDS]    each program counts n = 1, 2, ... for at most SECONDS (60)
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
published=$PWD/src/board/known/a000170.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
witnesses=(miniexact==1.6.1 dlx==1.0.4 d4Solver==1.0.0 clingo==5.8.3 ortools==9.15.6755 pyganak==2.8.0 PySDD==1.0.6)
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check "${witnesses[@]}" pyapproxmc==4.4.0 python-sat==1.9.dev24
cat >count.py <<'PYTHON'
import itertools, sys, time

def lines(n):  # the squares 1 to n * n of every row, column and diagonal
    found = {}
    for r, c in itertools.product(range(n), repeat=2):
        for line in (("row", r), ("column", c), ("sum", r + c), ("difference", r - c)):
            found.setdefault(line, []).append(r * n + c + 1)
    return found.values()

def clauses(n):
    rows = [list(range(r * n + 1, r * n + n + 1)) for r in range(n)]
    return rows + [[-a, -b] for line in lines(n) for a, b in itertools.combinations(line, 2)]

def placements(n):  # what a queen covers: row, column (primary items), two diagonals (secondary items)
    return [[r, n + c, 2 * n + r + c, 5 * n - 2 + r - c] for r in range(n) for c in range(n)]

def clingo(n):
    import clingo
    control, boards = clingo.Control(["0"]), []
    control.add(f"1 {{q(R,C): C=1..{n}}} 1 :- R=1..{n}. :- q(R,C), q(S,C), R<S. :- q(R,C), q(S,D), R<S, |C-D|=S-R.")
    control.ground()
    control.solve(on_model=lambda model: boards.append(1))
    return len(boards)

def ortools(n, workers=1):
    from ortools.sat.python import cp_model
    boards, model, solver = [], cp_model.CpModel(), cp_model.CpSolver()
    queens = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    for slope in (-1, 0, 1):
        model.add_all_different(queen + slope * row for row, queen in enumerate(queens))
    calls = type("Calls", (cp_model.CpSolverSolutionCallback,), {
        "on_solution_callback": lambda self: boards.append(tuple(map(self.value, queens)))})()
    solver.parameters.num_workers, solver.parameters.enumerate_all_solutions = workers, True
    status = solver.status_name(solver.solve(model, calls))
    return len(boards) if workers == 1 else f"{len(boards)} calls, {len(set(boards))} boards, {status}"

def d4Solver(n):
    import py_d4
    return py_d4.Solver(clauses(n), n * n).count().getIntResult()

def pyganak(n):
    import pyganak
    counter = pyganak.Counter()
    counter.add_clauses(clauses(n))
    return counter.count()

def PySDD(n):
    from functools import reduce
    from pysdd.sdd import SddManager
    sdd = SddManager(n * n)
    every = reduce(lambda every, clause: every & reduce(lambda a, b: a | b, map(sdd.literal, clause)), clauses(n), sdd.true())
    return sdd.global_model_count(every)

def miniexact(n):
    from miniexact import miniexacts_c
    cover = miniexacts_c()
    items = [(cover.primary if i < 2 * n else cover.secondary)(f"i{i}") for i in range(6 * n - 2)]
    for placement in placements(n):
        cover.add([items[i] for i in placement])
    return sum(1 for _ in iter(cover.solve, 20))

def dlx(n):
    from dlx import DLX
    cover = DLX([(str(i), DLX.PRIMARY if i < 2 * n else DLX.SECONDARY) for i in range(6 * n - 2)])
    cover.appendRows(placements(n))
    return sum(1 for _ in cover.solve())

def pyapproxmc(n):
    import pyapproxmc
    counter = pyapproxmc.Counter()
    for clause in clauses(n):
        counter.add_clause(clause)
    return (lambda cells, hashes: cells * 2**hashes)(*counter.count())

def pysat(n):
    from pysat.card import CardEnc
    from pysat.solvers import Cadical195
    solver, top = Cadical195(clauses(n)[:n]), n * n
    for line in lines(n):
        at_most_one = CardEnc.atmost(line, bound=1, top_id=top)
        top = max(top, at_most_one.nv)
        solver.append_formula(at_most_one.clauses)
    return sum(1 for _ in solver.enum_models())

if sys.argv[1] == "wrong":
    print("pyapproxmc", [pyapproxmc(n) for n in range(1, 9)])
    print("ortools with four workers, n = 8:", ortools(8, workers=4))
    sys.exit(print("python-sat", [pysat(n) for n in range(1, 7)]))
for n in itertools.count(1):
    start = time.monotonic()
    print("count", n, globals()[sys.argv[1]](n), round(time.monotonic() - start, 1), flush=True)
PYTHON
for witness in "${witnesses[@]}"; do
    name=${witness%%==*}
    timeout "$seconds" python/bin/python count.py "$name" >counts 2>errors || true
    awk -v witness="$witness" 'NR == FNR { if (!/^#/) published[$1] = $2; next }
        $1 == "count" { if ($3 != published[$2]) { print witness, "n = " $2, $3, "is wrong"; wrong = 1 } n = $2; time = $4 }
        END { print witness, "agrees up to n =", n, "(" time " s)"; exit wrong || n < 8 }' "$published" counts || { cat errors >&2; exit 1; }
done
echo "wrong:"
python/bin/python count.py wrong
