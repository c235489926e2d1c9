import assert from "node:assert/strict";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import type { LedgerBodyLine } from "#lib/ledger/ledger-line.ts";
import { ledgerBodyLineSchema } from "#lib/ledger/ledger-line.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import type { Hint } from "#lib/run/run-store.ts";
import {
  type Choices,
  type Fault,
  type Simulation,
  simulation,
  type Task,
} from "#lib/run/simulation.testkit.ts";
import { applyPlan } from "#lib/service/apply-plan.ts";
import { judgePlan } from "#lib/service/judge-plan.ts";
import { buryApply, performApply } from "#lib/service/perform-apply.ts";
import { putProject } from "#lib/service/projects.ts";
import { resume } from "#lib/service/resume-plan.ts";
import { owner } from "../in-memory-service.testkit.ts";
import {
  type ApplyScene,
  applyScene,
  bob,
  call,
  fields,
  planOn,
  text,
  writes,
} from "./apply-scene.testkit.ts";

const base = { "a.txt": "one\n", "b.txt": "b\n" };
const changes = [
  [writes("a.txt", "two\n")],
  [writes("c/d.txt", "new\n"), call("delete_file", { path: "b.txt" })],
];
const failing = [...changes, [call("delete_file", { path: "nothing" })]];

/** What happens around an apply in a schedule. */
export type Rival = "apply" | "reject" | "resume" | "put_elsewhere" | "put_in_the_way" | "bury";

export interface ApplyModel {
  readonly scene: ApplyScene;
  readonly sim: Simulation;
  readonly digest: string;
  /** What callers were answered: which of their requests were accepted. */
  readonly accepted: Set<Rival>;
  /** Every message that was ever sent: any may be delivered again. */
  readonly sent: readonly Hint[];
  start(rival: Rival): Task;
  deliver(hint: Hint): Task;
  bury(hint: Hint): Task;
  reconcile(): Task;
}

/** A plan that has ended, and everything that can happen to its changeset from then on, one port call at a time. */
export async function applyModel(run: "completed" | "failed"): Promise<ApplyModel> {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(planOn(run === "completed" ? changes : failing));
  const sim = simulation(scene.ports.clock.now());
  const sent: Hint[] = [];
  const accepted = new Set<Rival>();
  const { ports } = scene;
  const theirs = await scene.treeOf({ ...base, "elsewhere.txt": "x\n" });
  const inTheWay = await scene.treeOf({ ...base, "a.txt": "theirs\n" });

  const portsOf = (task: Task): typeof ports => {
    const port = <T extends object>(name: string, target: T): T => sim.port(task, name, target);
    const storesOf: typeof ports.storesOf = (tenant) => {
      const { content, trees, transfer } = ports.storesOf(tenant);
      return { content: port("content", content), trees: port("trees", trees), transfer };
    };
    return {
      ...ports,
      frontiers: port("frontiers", ports.frontiers),
      runs: port("runs", ports.runs),
      plans: port("plans", ports.plans),
      steps: port("steps", ports.steps),
      derived: port("derived", ports.derived),
      resources: port("resources", ports.resources),
      signer: port("signer", ports.signer),
      hints: port("hints", { send: async () => {} }),
      applies: port("applies", {
        async send(hint: Hint) {
          sent.push(hint);
        },
      }),
      storesOf,
      contentOf: (tenant) => storesOf(tenant).content,
    };
  };

  const key = { tenant: owner.tenant, planId: "p1", run: 1 };
  const work: Readonly<Record<Rival, (task: Task) => Promise<unknown>>> = {
    apply: (task) => {
      const request = { digest, allowFailed: run === "failed" };
      return applyPlan(portsOf(task), { caller: owner, planId: "p1", request });
    },
    reject: (task) =>
      judgePlan(portsOf(task), { caller: bob, planId: "p1", verdict: "rejected", request: { digest } }),
    resume: (task) =>
      resume(
        { ...portsOf(task), quota: ports.quotas.submissions },
        { caller: owner, planId: "p1", request: {} },
      ),
    put_elsewhere: (task) =>
      putProject(portsOf(task), { caller: bob, id: "local/app", request: { tree: theirs } }),
    put_in_the_way: (task) =>
      putProject(portsOf(task), { caller: bob, id: "local/app", request: { tree: inTheWay } }),
    bury: (task) => buryApply(portsOf(task), { key, receiveCount: 9 }),
  };

  return {
    scene,
    sim,
    digest,
    accepted,
    sent,
    start: (rival) =>
      sim.start(rival, async (task) => {
        await work[rival](task);
        accepted.add(rival);
      }),
    deliver: (hint) => sim.start("worker", (task) => performApply(portsOf(task), hint)),
    bury: (hint) => sim.start("burier", (task) => buryApply(portsOf(task), { key: hint, receiveCount: 9 })),
    reconcile: () =>
      sim.start("reconciler", (task) => reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, portsOf(task))),
  };
}

const faults: readonly Fault[] = ["throttle", "applied_but_errored", "crash", "crash_after"];

/** Lets the rivals and the workers run into each other, with so many faults at any await, until nothing is left to do. */
export async function runApplySchedule(
  model: ApplyModel,
  schedule: { readonly choices: Choices; readonly rivals: readonly Rival[]; readonly faults: number },
): Promise<void> {
  const { sim, sent } = model;
  const { choices } = schedule;
  const toStart = [...schedule.rivals];
  let faultsLeft = schedule.faults;
  let deliveries = 4;
  for (let turn = 0; turn < 2_000; turn += 1) {
    await sim.settle();
    if (toStart.length > 0 && (sim.waiting.length === 0 || choices.chance(0.1))) {
      const [rival] = toStart.splice(choices.below(toStart.length), 1);
      if (rival !== undefined) model.start(rival);
      continue;
    }
    if (deliveries > 0 && sent.length > 0 && choices.chance(0.1)) {
      deliveries -= 1;
      const hint = sent[choices.below(sent.length)];
      if (hint !== undefined) model.deliver(hint);
      continue;
    }
    const chosen = sim.waiting[choices.below(Math.max(1, sim.waiting.length))];
    if (chosen === undefined) break;
    const faulty = faultsLeft > 0 && choices.chance(0.08);
    if (faulty) faultsLeft -= 1;
    sim.proceed(chosen, faulty ? (faults[choices.below(faults.length)] ?? "none") : "none");
  }
  await settleAll(model);
}

/** No more faults: the reconciler sends what was lost, and workers carry it out. */
export async function settleAll(model: ApplyModel): Promise<void> {
  const { sim, sent } = model;
  for (let round = 0; round < 5; round += 1) {
    model.reconcile();
    await finish(sim);
    const hint = sent.at(-1);
    if (hint !== undefined) model.deliver(hint);
    await finish(sim);
  }
}

export async function finish(sim: Simulation): Promise<void> {
  for (;;) {
    await sim.settle();
    const [next] = sim.waiting;
    if (next === undefined) return;
    sim.proceed(next, "none");
  }
}

/** What holds whatever happened; answers whether the changeset is in the project. */
export async function assertApplyHolds(model: ApplyModel): Promise<boolean> {
  const { scene, digest, accepted, sim } = model;
  for (const { name, settled } of sim.tasks) {
    const error = settled?.error;
    assert.ok(
      error === undefined || (error instanceof Error && "code" in error),
      `${name}: ${String(error)}`,
    );
  }
  const frontier = await scene.ports.frontiers.read({ tenant: owner.tenant, planId: "p1", run: 1 });
  assert.ok(frontier?.disposition?.apply === undefined, "nothing stays under way");
  assert.equal(frontier?.nextCheckEpochSeconds, undefined);
  const revisions = [...(await scene.revisions())].reverse();
  const made = revisions.filter(({ changesetDigest }) => changesetDigest === digest);
  assert.ok(made.length <= 1, "one revision at most");
  const landed = frontier?.disposition?.landed.find((one) => one.digest === digest);
  const last = frontier?.disposition?.lastApply;
  if (landed !== undefined) {
    assert.deepEqual([made[0]?.revision, last?.status], [landed.revision, "applied"]);
  } else if (made.length > 0) {
    assert.equal(last?.status, "failed", "a revision that the plan does not know of was given up");
  }
  if (accepted.has("reject") || accepted.has("resume")) assert.equal(made.length, 0);
  for (const revision of made) {
    const before = revisions.find((one) => one.revision === Number(revision.revision) - 1);
    const expected = { ...(await scene.filesOf(text(before?.tree))), "a.txt": "two\n", "c/d.txt": "new\n" };
    const { "b.txt": _, ...rest } = expected as Record<string, string>;
    assert.deepEqual(await scene.filesOf(text(revision.tree)), rest);
  }
  await assertLedgerVerifies(scene);
  return made.length === 1;
}

export async function assertLedgerVerifies(scene: ApplyScene): Promise<void> {
  const { lines } = fields((await scene.send("/v1/plans/p1/ledger?limit=1000")).json());
  assert.ok(Array.isArray(lines));
  const ledger: LedgerBodyLine[] = lines.map((line) => ledgerBodyLineSchema.parse(line));
  const file: Buffer[] = [];
  for await (const line of ledgerExport(ledger)) file.push(Buffer.from(line));
  const verified = await verifyLedger({ ledger: file, publicKey: await scene.ports.signer.publicKey() });
  const open = !verified.ok && verified.code === "unsigned";
  assert.ok(verified.ok || open, JSON.stringify(verified));
}
