import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { sourceText } from "./source-text.testkit.ts";

/** Status replies that are waited for between the 202 of an apply and the kill: each finds the apply further on. */
const looksBeforeKill = [0, 0, 1, 2, 3, 5, 8];
let work: string;
let dev: DevProcess;

before(async () => {
  work = await mkdtemp(join(tmpdir(), "kill-apply-"));
  dev = await startDev({ cwd: work, port: 0, dataDir: join(work, "data") });
});
after(async () => {
  await dev?.kill();
  await rm(work, { recursive: true, force: true });
});

async function phaseReached(planId: string, wanted: (phase: string) => boolean) {
  for (;;) {
    const status = await dev.client.planStatus({ planId });
    if (wanted(status.phase)) return status;
    await delay(5);
  }
}

test(`F21: kill -9 behind the 202 of an apply, ${looksBeforeKill.length} times over: it ends applied, as one revision`, async () => {
  const found: string[] = [];
  for (const [time, looks] of looksBeforeKill.entries()) {
    const planId = `apply-${time}`;
    const project = `local/app-${time}`;
    await dev.client.projects.put(project, { tree: emptyTree.sha256 });
    const decisions = Array.from({ length: 20 }, (_, index) => ({
      id: `d${index}`,
      toolCalls: Array.from({ length: 20 }, (_, file) => ({
        tool: "write_file",
        input: { path: `room-${index}/f${file}`, content: sourceText(time * 1000 + index * 20 + file, 900) },
      })),
    }));
    await dev.client.executePlan({ planId, plan: { projectResources: { app: { project } }, decisions } });
    const { digest } = await phaseReached(planId, (phase) => phase === "completed");
    assert.ok(digest !== undefined);
    let promised: string | undefined;
    for await (const page of dev.client.changeset({ planId })) promised ??= page.resultGitTreeIds?.app;
    assert.ok(promised !== undefined);

    await dev.client.apply({ planId, digest });
    for (let look = 0; look < looks; look++) await dev.client.planStatus({ planId });
    const { port } = dev;
    await dev.kill();
    dev = await startDev({ cwd: work, port, dataDir: join(work, "data") });
    found.push((await dev.client.planStatus({ planId })).phase);
    await phaseReached(planId, (phase) => phase === "applied");
    await assert.rejects(dev.client.apply({ planId, digest }), { code: "already_applied" });

    const revisions: { readonly revision: number; readonly gitTreeId: string }[] = [];
    for await (const { revision, gitTreeId = "" } of dev.client.projects.revisions(project)) {
      revisions.push({ revision, gitTreeId });
    }
    assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [1, 2]);
    assert.equal(revisions.find(({ revision }) => revision === 2)?.gitTreeId, promised);
  }
  measured("killed behind the 202 of an apply", { "found after the restart": found.join(" ") });
});
