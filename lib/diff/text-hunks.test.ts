import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

test("a file of millions of short lines that is replaced takes no object for each of its lines", async () => {
  const program = `
    import { parentPort } from "node:worker_threads";
    const { textHunks } = await import(${JSON.stringify(new URL("./text-hunks.ts", import.meta.url).href)});
    const before = Buffer.alloc(4 * 1024 * 1024, "a\\n");
    parentPort.postMessage(textHunks(before, Buffer.alloc(4 * 1024 * 1024, "b\\n")).byteLength);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    resourceLimits: { maxOldGenerationSizeMb: 48 },
  });
  const [sizeBytes] = await once(worker, "message");
  await worker.terminate();
  assert.equal(sizeBytes, "@@ -1,2097152 +1,2097152 @@\n".length + 2 * 2097152 * 3);
});
