// Merges the lists of one more row from the lists of the previous rows. Each workgroup takes one list and one block of
// 64 lanes, and each invocation takes one lane, whose keys it reads twice: it counts those that remain and, after the
// workgroup has reserved room for them, writes them.
//
// A lane of a list holds fewer keys than all previous lists together, so no sum here exceeds 32 bits. A workgroup that
// finds no room says so in `report`, which makes all lists of the row useless.

// `taken` is the number of keys that earlier dispatches of this row wrote.
struct Task { first: u32, lanes: u32, per_list: u32, capacity: u32, taken: u32 }

@group(0) @binding(0) var<uniform> task: Task;
// For each source of each list: the list below, and the two halves of the square's lines.
@group(0) @binding(1) var<storage, read> sources: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> keys_below: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> ranges_below: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> ranges: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> report: array<atomic<u32>>;

const TAKEN = 0u;
const WRITTEN = 1u;
const FULL = 2u;

// These may begin with any values, because each is written before it is read.
var<workgroup> counts: array<u32, 64>;
var<workgroup> begin: u32;
var<workgroup> has_room: bool;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let list = task.first + group.x;
    let lane = group.y * 64u + local;
    let first_source = list * task.per_list;
    var count = 0u;
    if lane < task.lanes {
        for (var s = 0u; s < task.per_list; s++) {
            let source = sources[first_source + s];
            let range = ranges_below[source.x * task.lanes + lane];
            for (var at = range.x; at < range.x + range.y; at++) {
                let key = keys_below[at];
                count += select(0u, 1u, ((key.x & source.y) | (key.y & source.z)) == 0u);
            }
        }
    }
    counts[local] = count;
    workgroupBarrier();
    if local == 0u {
        var sum = 0u;
        for (var i = 0u; i < 64u; i++) {
            let here = counts[i];
            counts[i] = sum;
            sum += here;
        }
        begin = task.taken + atomicAdd(&report[TAKEN], sum);
        has_room = begin <= task.capacity && sum <= task.capacity - begin;
        if !has_room {
            atomicStore(&report[FULL], 1u);
        }
    }
    workgroupBarrier();
    let start = begin + counts[local];
    var end = start;
    if lane < task.lanes {
        if has_room {
            for (var s = 0u; s < task.per_list; s++) {
                let source = sources[first_source + s];
                let range = ranges_below[source.x * task.lanes + lane];
                for (var at = range.x; at < range.x + range.y; at++) {
                    let key = keys_below[at];
                    if ((key.x & source.y) | (key.y & source.z)) == 0u {
                        keys[end] = key | source.yz;
                        end++;
                    }
                }
            }
        }
        ranges[list * task.lanes + lane] = vec2(start, end - start);
    }
    counts[local] = end - start;
    workgroupBarrier();
    if local == 0u {
        var written = 0u;
        for (var i = 0u; i < 64u; i++) {
            written += counts[i];
        }
        atomicAdd(&report[WRITTEN], written);
    }
}
