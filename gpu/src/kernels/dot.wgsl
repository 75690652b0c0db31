// Multiplies counts by the entries of turned tables. It counts pairs as fill.wgsl does, multiplies each count by the
// entry in the row of the columns on which the walk ends, and adds up the products in 96 bits for each term and each
// lane. walks.wgsl is prepended.
//
// The count of a slice is at most 64, an entry is below 2^16 (turn.wgsl), and 15 columns form 105 pairs, so the sum of
// a slice is below 2^29. It is added to two numbers of 32 bits, with carry. All walks together add less than 2^93 to a
// lane, and for the largest boards a sum of more than 64 bits cannot be ruled out. gpu/README.md derives the bounds.

@group(0) @binding(7) var<storage, read> table: array<u32>;
// The three numbers of each sum, the lowest first.
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<u32>>;

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
        var low = 0u;
        var high = 0u;
        for (var slice = 0u; slice < span.y; slice++) {
            let base = span.x + slice * end.rows * COLUMNS * 64u + local;
            var a: array<u32, COLUMNS>;
            var b: array<u32, COLUMNS>;
            for (var i = 0u; i < COLUMNS; i++) {
                a[i] = fittings[base + (tail.y * COLUMNS + i) * 64u];
                b[i] = fittings[base + (tail.z * COLUMNS + i) * 64u];
            }
            var sum = 0u;
            for (var i = 0u; i < COLUMNS; i++) {
                for (var j = i + 1u; j < COLUMNS; j++) {
                    let row = row_of[(task.all ^ ending.x) | (1u << columns[i]) | (1u << columns[j])];
                    let count = countOneBits(a[i] & b[j]) + countOneBits(a[j] & b[i]);
                    if count > 0u && row != NO_ROW && columns[j] - columns[i] != tail.w {
                        sum += count * table[(tail.x * task.rows + row) * task.stride + task.first_lane + lane];
                    }
                }
            }
            low += sum;
            high += select(0u, 1u, low < sum);
        }
        let at = 3u * (tail.x * task.stride + task.first_lane + lane);
        let low_before = atomicAdd(&sums[at], low);
        high += select(0u, 1u, low_before + low < low);
        let high_before = atomicAdd(&sums[at + 1u], high);
        if high_before + high < high {
            atomicAdd(&sums[at + 2u], 1u);
        }
    }
}
