// Loads one module in a process of its own, and prints how many milliseconds that took, and how many of them its thread was at work. Plain JavaScript: nothing but the
// module itself is to be loaded or stripped of types.
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [path] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const url = pathToFileURL(path).href;
const cpuFrom = process.threadCpuUsage();
const from = performance.now();
const loaded = path.endsWith(".cjs") ? require(path) : await import(url);
const milliseconds = performance.now() - from;
if (typeof loaded.handler !== "function") throw new Error(`${path} exports no handler`);
const { user, system } = process.threadCpuUsage(cpuFrom);
process.stdout.write(JSON.stringify({ milliseconds, cpuMilliseconds: (user + system) / 1000 }));
process.exit(0);
