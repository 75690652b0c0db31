// Makes the fittings of the last lists: for each slice of 32 keys of a lane, each row and each free column, a number in
// which a bit is set for each key that does not attack the square. Each workgroup takes one list and one block of 64
// lanes.
//
// The keys of a slice are a matrix of 32 rows and 64 bits. Its transpose has a number for each line, in which a bit is
// set for each key that contains the line. Each invocation uses only its own column of `lines`. Before and after that,
// the first row of `lines` holds sums of the workgroup, because a card may have only 16 KiB of workgroup memory, and
// `lines` takes all of it.

struct Task { first: u32, lanes: u32, columns: u32, capacity: u32 }
struct End { first_row: u32, rows: u32, first_tail: u32, tails: u32 }

@group(0) @binding(0) var<uniform> task: Task;
// The free columns and the end of each list.
@group(0) @binding(1) var<storage, read> endings: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> ends: array<End>;
// The bits of the lines of the first square of each row.
@group(0) @binding(3) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> fittings: array<u32>;
// The position of the first fitting of a list and a block, and the number of slices.
@group(0) @binding(7) var<storage, read_write> spans: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> report: array<atomic<u32>>;

const TAKEN = 0u;
const WRONG = 1u;
const FULL = 2u;
const LEAVES = 3u;

// May begin with any values, because each number is written before it is read.
var<workgroup> lines: array<u32, 4096>;

// Swaps blocks of bits between two rows of `lines` that are `distance` apart.
fn swap(low: u32, distance: u32, mask: u32) {
    let high = low + 64u * distance;
    let a = lines[low];
    let b = lines[high];
    let swapped = ((a >> distance) ^ b) & mask;
    lines[low] = a ^ (swapped << distance);
    lines[high] = b ^ swapped;
}

// Transposes both halves of one column of `lines`, 32 numbers of 32 bits each.
fn transpose(first: u32) {
    var mask = 0x0000ffffu;
    for (var distance = 16u; distance > 0u; distance >>= 1u) {
        for (var step = 0u; step < 16u; step++) {
            // The number of the step, with a 0 inserted at the bit of `distance`.
            let k = ((step & ~(distance - 1u)) << 1u) | (step & (distance - 1u));
            swap(first + 64u * k, distance, mask);
            swap(first + 64u * (32u + k), distance, mask);
        }
        mask ^= mask << (distance >> 1u);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let list = task.first + group.x;
    let lane = group.y * 64u + local;
    let free = endings[list].x;
    let end = ends[endings[list].y];
    var range = vec2(0u, 0u);
    if lane < task.lanes {
        range = ranges[list * task.lanes + lane];
    }
    lines[local] = range.y;
    workgroupBarrier();
    let slice_size = end.rows * task.columns * 64u;
    var seen = 0u;
    if local == 0u {
        var most = 0u;
        for (var i = 0u; i < 64u; i++) {
            most = max(most, lines[i]);
            seen += lines[i];
        }
        let slices = (most + 31u) / 32u;
        let size = slices * slice_size;
        let begin = atomicAdd(&report[TAKEN], size);
        let has_room = begin <= task.capacity && size <= task.capacity - begin;
        if !has_room {
            atomicStore(&report[FULL], 1u);
        }
        spans[group.x * groups.y + group.y] = vec2(begin, slices);
        lines[0] = begin;
        lines[1] = slices;
        lines[2] = select(0u, 1u, has_room);
    }
    workgroupBarrier();
    let begin = lines[0];
    let slices = lines[1];
    let has_room = lines[2] == 1u;
    workgroupBarrier();
    var bits = 0u;
    if has_room {
        for (var slice = 0u; slice < slices; slice++) {
            let skipped = min(32u * slice, range.y);
            let there = min(range.y - skipped, 32u);
            for (var k = 0u; k < 32u; k++) {
                var key = vec2(0u, 0u);
                if k < there {
                    key = keys[range.x + skipped + k];
                }
                lines[64u * k + local] = key.x;
                lines[64u * (32u + k) + local] = key.y;
            }
            transpose(local);
            let alive = select((1u << there) - 1u, 0xffffffffu, there == 32u);
            bits += countOneBits(alive);
            var to = begin + slice * slice_size + local;
            for (var r = 0u; r < end.rows; r++) {
                let row = rows[end.first_row + r];
                for (var left = free; left != 0u; left &= left - 1u) {
                    let column = firstTrailingBit(left);
                    let attacked = lines[64u * (row.x + column) + local] | lines[64u * (row.y + column) + local];
                    fittings[to] = alive & ~attacked;
                    to += 64u;
                }
            }
        }
    }
    lines[local] = bits;
    workgroupBarrier();
    if local == 0u {
        // The fittings must contain as many keys as the lists.
        for (var i = 0u; i < 64u; i++) {
            seen -= lines[i];
        }
        atomicAdd(&report[WRONG], select(0u, 1u, has_room && seen != 0u));
        atomicAdd(&report[LEAVES], slices * end.tails);
    }
}
