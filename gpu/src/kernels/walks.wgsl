// The data that fill.wgsl and dot.wgsl read. `COLUMNS`, the number of free columns, is prepended.

struct Task { first: u32, lanes: u32, all: u32, rows: u32, first_lane: u32, stride: u32 }
struct End { first_row: u32, rows: u32, first_tail: u32, tails: u32 }

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> endings: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> ends: array<End>;
// The term, the positions of both rows in the end, and their distance.
@group(0) @binding(3) var<storage, read> tails: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> fittings: array<u32>;
@group(0) @binding(5) var<storage, read> spans: array<vec2<u32>>;
// The table row of each column set of a whole walk, or `NO_ROW`.
@group(0) @binding(6) var<storage, read> row_of: array<u32>;

const NO_ROW = 0xffffffffu;

