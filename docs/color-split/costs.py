"""Fits the correction of estimates (src/color/plan/cost.rs) to measured classes, and prints how good it is.

    for n in 20 22 24 26 28; do nqueens estimate $n --measure 5m --json; done >samples.jsonl
    python3 docs/color-split/costs.py <samples.jsonl

The table shows each class's share of the time: by the estimates that decide the order, as predicted by the program, as
predicted by the fit, and as measured. `day` is the measured time in days of one core.
"""

import json, math, sys

PER_SURPLUS, FIRST, LAST = 0.034, 20, 24  # the constants of the program that made the samples


def base(n, per_surplus):
    return 1 - per_surplus * (min(max(n, FIRST), LAST) - FIRST)


def surplus(n, white):  # how many more queens the summing side has than the filling side
    return abs(n - 2 * (2 * white + n % 2))


def predict(n, classes, per_surplus):
    costs = {k: cost * base(n, per_surplus) ** surplus(n, k) for k, cost in classes.items()}
    return {k: cost / sum(costs.values()) for k, cost in costs.items()}


sizes = {}  # by n: (cost for the order by class, measured share by class, core seconds)
for line in sys.stdin:
    sample = json.loads(line)
    n, kinds = sample["size"], sample["measured"]
    whole = sum(kind["core_seconds"] for kind in kinds)
    order = {k["kind"]: k["predicted_cost"] / base(n, PER_SURPLUS) ** surplus(n, k["kind"]) for k in kinds}
    sizes[n] = order, {kind["kind"]: kind["core_seconds"] / whole for kind in kinds}, whole


def error(per_surplus):  # squared error of the logarithms of the shares, weighted by the shares
    return sum(
        share * math.log(predict(n, order, per_surplus)[k] / share) ** 2
        for n, (order, measured, _) in sizes.items()
        for k, share in measured.items()
    )


fit = min((i / 2000 for i in range(200)), key=error)
print(f"PER_SURPLUS = {fit} (error {error(fit):.2f}; now {PER_SURPLUS}: {error(PER_SURPLUS):.2f}; none: {error(0):.2f})")
print("| n, class | order | program | fit | measured | day |\n|---|---|---|---|---|---|")
for n, (order, measured, whole) in sorted(sizes.items()):
    rows = [predict(n, order, per_surplus) for per_surplus in (0, PER_SURPLUS, fit)] + [measured]
    for k in sorted(k for k, share in measured.items() if share > 0.003):
        print(f"| {n}, {k} |", " | ".join(f"{100 * row[k]:.1f}" for row in rows), f"| {measured[k] * whole / 86400:.3g} |")
