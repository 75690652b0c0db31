"""Counts the boards for n = 8: 92."""


def count(n, queens):
    row = len(queens)
    if row == n:
        return 1  # every row has its queen: a solution
    solutions = 0
    for column in range(n):
        if all(column != other and abs(column - other) != row - above for above, other in enumerate(queens)):
            solutions += count(n, queens + [column])
    return solutions


print(count(8, []))
