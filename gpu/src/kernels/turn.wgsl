// Turns filled tables: rows become lanes, and each entry is multiplied by the weight of its column coloring. Each
// invocation makes one entry of a turned table, and reports an entry of more than two bytes, which dot.wgsl cannot use.

struct Task { filled_stride: u32, lanes: u32, is_even: u32, white_fills: u32 }

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> filled: array<u32>;
@group(0) @binding(2) var<storage, read_write> turned: array<u32>;
// For each row and each lane of a turned table: the rank of its column set, and the number of sets that it represents.
@group(0) @binding(3) var<storage, read> row_sets: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> lane_sets: array<vec2<u32>>;
// The ranks of each term's row coloring.
@group(0) @binding(5) var<storage, read> row_ranks: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> report: array<atomic<u32>>;

const TOO_LARGE = 3u;

// The ranks of a column coloring, as in `Class::ranks`.
fn ranks(even: u32, odd: u32) -> vec2<u32> {
    if task.is_even != 0u {
        return vec2(max(even, odd), min(even, odd));
    }
    return vec2(odd, even);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lane = group.x * 64u + local;
    let row = group.y;
    let term = group.z;
    var weighted = 0u;
    if lane < task.lanes {
        let a = row_sets[row];
        let b = lane_sets[lane];
        var columns = ranks(b.x, a.x);
        if task.white_fills == 0u {
            columns = ranks(a.x, b.x);
        }
        let rows = row_ranks[term];
        let is_lower = columns.x < rows.x || (columns.x == rows.x && columns.y < rows.y);
        let weight = select(0u, 2u, is_lower) + select(0u, 1u, all(columns == rows));
        let entry = filled[(term * task.lanes + lane) * task.filled_stride + row];
        weighted = entry * weight * a.y * b.y;
        if weighted > 0xffffu {
            atomicStore(&report[TOO_LARGE], 1u);
        }
    }
    turned[(term * groups.y + row) * groups.x * 64u + lane] = weighted;
}
