import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { contentSha256, contentState } from "#lib/content/content-state.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { sourceText } from "./source-text.testkit.ts";

const times = 5;
let work: string;
let dev: DevProcess;

before(async () => {
  work = await mkdtemp(join(tmpdir(), "acknowledged-"));
  dev = await startDev({ cwd: work, port: 0, dataDir: join(work, "data") });
});
after(async () => {
  await dev?.kill();
  await rm(work, { recursive: true, force: true });
});

async function killAndStart(killing: Promise<void>): Promise<void> {
  const { port, token } = dev;
  await killing;
  dev = await startDev({ cwd: work, port, dataDir: join(work, "data") });
  assert.equal(dev.token, token);
}

const post = (path: string, body: unknown) =>
  fetch(dev.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${dev.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test(`kill -9 right behind the 202 of a submission loses nothing, ${times} times over`, async () => {
  const accepted = z.object({ planId: z.string(), serverPlanId: z.string() });
  const found: string[] = [];
  for (let time = 0; time < times; time++) {
    const planId = `accepted-${time}`;
    const plan = {
      decisions: Array.from({ length: 20 }, (_, index) => ({
        id: `d${index}`,
        toolCalls: [{ tool: "write_file", input: { path: `f${index}`, content: sourceText(index, 500) } }],
      })),
    };
    const answer = await post(`/v1/plans/${planId}/execute`, plan);
    // The head of the answer is here; its body may still be on its way.
    const killing = dev.kill();
    assert.equal(answer.status, 202);
    await answer.text().catch(() => undefined);
    await killAndStart(killing);

    const { phase: standing } = await dev.client.planStatus({ planId });
    found.push(standing);
    const again = await post(`/v1/plans/${planId}/execute`, plan);
    assert.equal(again.status, 202);
    const first = accepted.parse(await again.json());
    for (;;) {
      const { phase, serverPlanId, counts, run } = await dev.client.planStatus({ planId });
      assert.equal(serverPlanId, first.serverPlanId);
      if (phase === "completed") {
        assert.deepEqual([counts.landed, run], [20, 1]);
        break;
      }
      assert.ok(phase === "submitted" || phase === "running", phase);
      await delay(5);
    }
    const seqs: number[] = [];
    for await (const { seq } of dev.client.events({ planId })) seqs.push(seq);
    assert.deepEqual(
      seqs,
      Array.from({ length: 22 }, (_, index) => index + 1),
    );
  }
  measured("killed right behind the 202", { times, "found after the restart": found.join(" ") });
});

test(`kill -9 right behind an uploaded pack loses nothing, ${times} times over`, async () => {
  for (let time = 0; time < times; time++) {
    const files = Array.from({ length: 40 }, (_, index) => {
      const bytes = Buffer.from(sourceText(time * 1000 + index, 20_000));
      return { bytes, name: `f${String(index).padStart(2, "0")}`, ...contentState(bytes, "100644") };
    });
    const entries = files.map(({ name, mode, sha256, sizeBytes, gitBlobId }) => ({
      kind: "file",
      name,
      mode,
      sha256,
      sizeBytes,
      gitId: gitBlobId,
    }));
    const answer = await post("/v1/content/packs", {
      contents: files.map(({ bytes }) => bytes.toString("base64")),
      directories: [{ entries }],
    });
    const body = answer.text();
    const killing = dev.kill();
    assert.equal(answer.status, 200);
    await body.catch(() => undefined);
    await killAndStart(killing);

    const hashes = files.map(({ sha256 }) => sha256);
    const lacking = await dev.client.content.missing({ contents: hashes, directories: [] });
    assert.deepEqual(lacking.contents, []);
    for (const { sha256, bytes } of files) {
      assert.equal(Buffer.compare(await dev.client.content.get(sha256), bytes), 0);
    }
    // Sent again, the directory is known by its hash, and its tree is whole.
    const packed = z
      .object({ directories: z.array(z.string()) })
      .parse(await (await post("/v1/content/packs", { contents: [], directories: [{ entries }] })).json());
    const directory = await dev.client.content.directory(packed.directories[0] ?? "");
    assert.equal(directory.entries.length, files.length);
  }
});

test("kill -9 right behind a large content that was put at its own address loses nothing", async () => {
  const bytes = Buffer.from(sourceText(7, 5_000_000));
  const sha256 = contentSha256(bytes);
  await dev.client.content.upload({ sha256, bytes: new Uint8Array(bytes) });
  await killAndStart(dev.kill());
  // Only a reference admits what was put there.
  const answer = await post("/v1/content/missing", { contents: [sha256], directories: [] });
  assert.equal(answer.status, 200);
  assert.equal(Buffer.compare(await dev.client.content.get(sha256), bytes), 0);
});
