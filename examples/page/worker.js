// Counts on a thread of its own, so that the page stays responsive. To stop a count, the page ends this thread.
onmessage = async ({ data: { module, n } }) => {
    const page = { show_progress: (fraction) => postMessage({ fraction }) };
    const { exports } = await WebAssembly.instantiate(module, { page });
    const start = performance.now();
    const solutions = exports.count(n);
    postMessage({ solutions, seconds: (performance.now() - start) / 1000 });
};
