// Makes the planes of the lists of the last level: for each word of 32 keys of a lane, each row and each free column, a bit
// for each key that does not attack the square. One workgroup for each list and each block of 64 lanes.
//
// A word's keys are a matrix of 32 rows and 64 bits. Transposed it has a word for each line: the keys that lie on it. Each
// invocation uses only its own column of `lines`.

struct Task { first: u32, lanes: u32, columns: u32, capacity: u32 }
struct Node { first_row: u32, rows: u32, first_tail: u32, tails: u32 }

@group(0) @binding(0) var<uniform> task: Task;
// The free columns and the node of each list.
@group(0) @binding(1) var<storage, read> endings: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> nodes: array<Node>;
// The bits of the lines of the first square of each row.
@group(0) @binding(3) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> planes: array<u32>;
// Where the planes of a list and a block begin, and the number of words.
@group(0) @binding(7) var<storage, read_write> spans: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> report: array<atomic<u32>>;

const TAKEN = 0u;
const WRONG = 1u;
const FULL = 2u;
const LEAVES = 3u;

var<workgroup> lines: array<u32, 4096>;
var<workgroup> most: atomic<u32>;
var<workgroup> seen: atomic<u32>;
var<workgroup> begin: u32;
var<workgroup> has_room: bool;

// Transposes 32 words of 32 bits in one column of `lines`.
fn transpose(first: u32) {
    var mask = 0x0000ffffu;
    for (var distance = 16u; distance > 0u; distance >>= 1u) {
        for (var step = 0u; step < 16u; step++) {
            // The step's number, with a 0 put in at the bit of `distance`.
            let k = ((step & ~(distance - 1u)) << 1u) | (step & (distance - 1u));
            let low = first + 64u * k;
            let high = low + 64u * distance;
            let swapped = ((lines[low] >> distance) ^ lines[high]) & mask;
            lines[low] ^= swapped << distance;
            lines[high] ^= swapped;
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
    let node = nodes[endings[list].y];
    var range = vec2(0u, 0u);
    if lane < task.lanes {
        range = ranges[list * task.lanes + lane];
    }
    atomicMax(&most, (range.y + 31u) / 32u);
    atomicAdd(&seen, range.y);
    workgroupBarrier();
    let words = atomicLoad(&most);
    let word_size = node.rows * task.columns * 64u;
    if local == 0u {
        let size = words * word_size;
        begin = atomicAdd(&report[TAKEN], size);
        has_room = begin <= task.capacity && size <= task.capacity - begin;
        if !has_room {
            atomicStore(&report[FULL], 1u);
        }
        spans[group.x * groups.y + group.y] = vec2(begin, words);
    }
    workgroupBarrier();
    var bits = 0u;
    if has_room {
        for (var word = 0u; word < words; word++) {
            let skipped = min(32u * word, range.y);
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
            transpose(64u * 32u + local);
            let alive = select((1u << there) - 1u, 0xffffffffu, there == 32u);
            bits += countOneBits(alive);
            var to = begin + word * word_size + local;
            for (var r = 0u; r < node.rows; r++) {
                let row = rows[node.first_row + r];
                for (var left = free; left != 0u; left &= left - 1u) {
                    let column = firstTrailingBit(left);
                    let attacked = lines[64u * (row.x + column) + local] | lines[64u * (row.y + column) + local];
                    planes[to] = alive & ~attacked;
                    to += 64u;
                }
            }
        }
    }
    // As many keys must be in the planes as in the lists.
    atomicSub(&seen, bits);
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&report[WRONG], select(0u, 1u, has_room && atomicLoad(&seen) != 0u));
        atomicAdd(&report[LEAVES], words * node.tails);
    }
}
