// Fills tables. It counts the pairs of queens on the last two rows that fit the keys of each lane, 32 keys at a time,
// and adds the counts to the table of the term, in the row of the columns on which the walk ends. Each workgroup takes
// one list and one block of 64 lanes. walks.wgsl is prepended.
//
// A table entry counts placements of at most 15 queens in given columns, so it is at most 7! 8!, which is below 2^28.

@group(0) @binding(7) var<storage, read_write> table: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lane = group.y * 64u + local;
    let span = spans[group.x * groups.y + group.y];
    if lane >= task.lanes {
        return;
    }
    let ending = endings[task.first + group.x];
    let end = ends[ending.y];
    var columns: array<u32, COLUMNS>;
    var left = ending.x;
    for (var i = 0u; i < COLUMNS; i++) {
        columns[i] = firstTrailingBit(left);
        left &= left - 1u;
    }
    for (var t = end.first_tail; t < end.first_tail + end.tails; t++) {
        let tail = tails[t];
        for (var slice = 0u; slice < span.y; slice++) {
            let base = span.x + slice * end.rows * COLUMNS * 64u + local;
            var a: array<u32, COLUMNS>;
            var b: array<u32, COLUMNS>;
            for (var i = 0u; i < COLUMNS; i++) {
                a[i] = fittings[base + (tail.y * COLUMNS + i) * 64u];
                b[i] = fittings[base + (tail.z * COLUMNS + i) * 64u];
            }
            for (var i = 0u; i < COLUMNS; i++) {
                for (var j = i + 1u; j < COLUMNS; j++) {
                    let row = row_of[(task.all ^ ending.x) | (1u << columns[i]) | (1u << columns[j])];
                    let count = countOneBits(a[i] & b[j]) + countOneBits(a[j] & b[i]);
                    if count > 0u && row != NO_ROW && columns[j] - columns[i] != tail.w {
                        atomicAdd(&table[(tail.x * task.rows + row) * task.stride + task.first_lane + lane], count);
                    }
                }
            }
        }
    }
}
