// Clicks through the page in Chromium as a user does, and checks what the page shows: node browser.mjs FOLDER. Writes
// pictures to FOLDER-*.png. The variable CHROMIUM names the browser; without it, one on the path is used.
import assert from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const folder = process.argv[2];

// A server that sends the wrong content type for files in the folder `wrong`.
const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const server = createServer(({ url }, response) => {
    const name = url.split("/").at(-1) || "index.html";
    try {
        const type = types[name.split(".").at(-1)];
        response.setHeader("content-type", url.startsWith("/wrong/") && name.endsWith("wasm") ? "text/plain" : type);
        response.end(readFileSync(`${folder}/${name}`));
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}`;

// Chromium reads commands from a pipe and writes answers to another one. Each message ends with a zero byte.
const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"];
const program = names.find((name) => name && !spawnSync(name, ["--version"]).error);
assert(program, "no browser was found: install chromium, or name one in CHROMIUM");
const profile = mkdtempSync(`${tmpdir()}/nqueens-page-`);
const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
options.push("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage");
options.push("--remote-debugging-pipe", `--user-data-dir=${profile}`, "--window-size=700,1150", "about:blank");
const browser = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [answers, problems] = [new Map(), []];
let number = 0, session, rest = "";
browser.stdio[4].setEncoding("utf8").on("data", (data) => {
    const messages = (rest + data).split("\0");
    rest = messages.pop();
    for (const { id, result, error, method, params } of messages.map((message) => JSON.parse(message))) {
        answers.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
        if (method === "Runtime.exceptionThrown") problems.push(params.exceptionDetails.exception?.description);
    }
});
const send = (method, params = {}) => new Promise((done) => {
    answers.set(++number, done);
    browser.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId: session })}\0`);
});

const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    assert(!exceptionDetails, `${expression}: ${exceptionDetails?.exception?.description}`);
    return result.value;
};
const until = async (expression, seconds = 60) => {
    for (const start = Date.now(); !(await evaluate(expression)); await sleep(20)) {
        const late = `${expression} after ${seconds} s; the page says: ${await evaluate("answer.value")}`;
        assert(Date.now() < start + 1000 * seconds, late);
    }
};
const click = async (id) => {
    const [x, y] = await evaluate(
        `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.getElementById("${id}").getBoundingClientRect())`,
    );
    for (const type of ["mousePressed", "mouseReleased"]) {
        await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
};
const key = async (key, code) => {
    for (const type of ["rawKeyDown", "keyUp"]) {
        await send("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: code, text: "" });
    }
};
const type = async (text) => {
    await evaluate("document.getElementById('n').select()");
    await key("Delete", 46);
    if (text) await send("Input.insertText", { text });
};
const picture = async (name) => {
    const { data } = await send("Page.captureScreenshot");
    writeFileSync(`${folder}-${name}.png`, Buffer.from(data, "base64"));
};
const open = async (path) => {
    await send("Page.navigate", { url: address + path });
    await until("document.readyState === 'complete' && !['', 'Loading …'].includes(document.getElementById('answer').value)");
};

const tests = {
    async "it counts n = 8 when it is opened"() {
        await open("/");
        await until("answer.value.startsWith('n = 8: 92 solutions, in ')");
    },
    async "it counts n = 17, shows progress and does not freeze"() {
        await evaluate(`globalThis.seen = new Set(), globalThis.frames = 0, (function frame() {
            seen.add(progress.value), frames++, requestAnimationFrame(frame);
        })(), 0`);
        await type("17");
        await click("count");
        const frames = await evaluate("frames");
        await until("progress.value > 0.2");
        await picture("counts");
        await until("answer.value.startsWith('n = 17: 95815104 solutions, in ')", 300);
        const [shown, drawn] = await evaluate("[seen.size, frames]");
        assert(shown > 3, `the page showed ${shown} values of the progress`);
        assert(drawn > frames + 5, `the page was drawn ${drawn - frames} times while it counted`);
        console.log(await evaluate("answer.value"));
    },
    async "it stops, and counts again"() {
        await type("19");
        await click("count");
        await until("progress.value > 0");
        assert(await evaluate("form.count.disabled && !form.stop.disabled"));
        await click("stop");
        await until("answer.value === 'Stopped.' && !form.count.disabled && progress.value === 0", 2);
        await type("10");
        await click("count");
        await until("answer.value.startsWith('n = 10: 724 solutions')");
    },
    async "it refuses everything that is not a size"() {
        for (const text of ["", "4294967304", "8.5", "-1", "23", "e"]) {
            await type(text);
            await click("count");
            await until("answer.value.endsWith('whole number from 0 to 22.') && form.stop.disabled", 2);
            assert(!["", "e"].includes(text) || await evaluate("answer.value.startsWith('Type a ')"));
            await evaluate("answer.value = ''");
        }
    },
    async "it shows the search"() {
        await type("8");
        await click("search");
        await until("document.querySelectorAll('#board span').length === 64 && steps.textContent.startsWith('step 9')");
        await click("search");
        await picture("search");
        await click("next");
        const columns = "[...board.children].flatMap((square, at) => (square.textContent ? [at % 8] : [])).join()";
        await until(`board.className === 'solution' && ${columns} === '0,4,7,5,2,6,1,3'`);
        // The number of squares that the textbook search tries.
        assert.equal(await evaluate("steps.textContent"), "step 876: a solution");
        await picture("solution");
        await click("next");
        await until(`board.className === 'solution' && ${columns} === '0,5,7,2,6,3,1,4'`);
        await type("3");
        await click("next");
        await until("steps.textContent === 'step 18: no further solution'", 5);
    },
    async "it names a wrong content type"() {
        await open("/wrong/");
        assert.match(await evaluate("answer.value"), /content type 'text\/plain'. It must send 'application\/wasm'/);
    },
};
try {
    const { targetInfos } = await send("Target.getTargets");
    const { targetId } = targetInfos.find(({ type }) => type === "page");
    session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await send("Runtime.enable");
    for (const [name, test] of Object.entries(tests)) {
        await test();
        assert.deepEqual(problems, [], name);
        console.log(`in ${program}: ${name}`);
    }
} finally {
    const ended = new Promise((done) => browser.on("exit", done));
    browser.kill();
    await ended;
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
}
