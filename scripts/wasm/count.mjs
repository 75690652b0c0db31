// Counts with the example `page` as a web page would: node count.mjs PAGE.WASM N...
import { readFile } from "node:fs/promises";

const [file, ...sizes] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(file));
for (const n of sizes) console.log(`${n} ${instance.exports.count(Number(n))}`);
