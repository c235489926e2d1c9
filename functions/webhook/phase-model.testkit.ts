import assert from "node:assert/strict";
import { advanceRun } from "#lib/run/advance-run.ts";
import { announcedFrontiers } from "#lib/run/announced-frontiers.ts";
import { cancelPlan, pausePlan, resumePaused } from "#lib/run/control-run.ts";
import type { Phase } from "#lib/run/phase.ts";
import { phaseOf } from "#lib/run/phase-of.ts";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import type { Hint } from "#lib/run/run-store.ts";
import { type Choices, type Fault, simulation, type Task } from "#lib/run/simulation.testkit.ts";
import { announcePhases } from "#lib/webhook/announce-phases.ts";
import { deliverPhase } from "#lib/webhook/deliver-phase.ts";
import type { DeliveryMessage } from "#lib/webhook/delivery.ts";
import { reconcileDeliveries } from "#lib/webhook/reconcile-deliveries.ts";
import { owner } from "../in-memory-service.testkit.ts";
import { told, webhookScene } from "./webhook-scene.testkit.ts";

const key = { tenant: owner.tenant, planId: "p1" };
const endOfTime = 9_999_999_999;

export type PhaseRival = "pause" | "resume" | "cancel" | "worker";
export type PhaseModel = Awaited<ReturnType<typeof phaseModel>>;

/** A plan with a listener, and everything that moves it or tells of it, one port call at a time. */
export async function phaseModel(decisions: number) {
  const scene = webhookScene();
  const { ports, storedFrontiers: stored } = scene;
  await scene.putWebhook("ops", { url: "https://example.com/hook" });
  const history: Phase[] = ["submitted"];
  const move = stored.move;
  // What really became of the plan: the phases that its frontier had, as they were written.
  stored.move = async (next) => {
    const moved = await move(next);
    if (moved && history.at(-1) !== phaseOf(next)) history.push(phaseOf(next));
    return moved;
  };
  await scene.submit("p1", {
    decisions: Array.from({ length: decisions }, (_, index) => ({
      id: `d${index}`,
      toolCalls: [{ tool: "write_file", input: { path: `f${index}`, content: "x" } }],
    })),
  });
  const sim = simulation(ports.clock.now());
  const hints: Hint[] = scene.hints.splice(0);
  const phaseHints: Hint[] = scene.phaseHints.splice(0);
  const messages: DeliveryMessage[] = [];
  const posted: { readonly id: string; readonly body: string }[] = [];

  const portsOf = (task: Task) => {
    const port = <T extends object>(name: string, target: T): T => sim.port(task, name, target);
    const queue = <T>(name: string, into: T[]) =>
      port(name, {
        async send(message: T) {
          into.push(message);
        },
      });
    const raw = port("frontiers", stored);
    const webhooks = port("webhooks", ports.webhooks);
    const queued = queue("phaseHints", phaseHints);
    return {
      ...ports,
      raw,
      webhooks,
      frontiers: announcedFrontiers(raw, {
        listens: (tenant) => webhooks.listens(tenant),
        phaseHints: queued,
        log: ports.log,
      }),
      phaseHints: queued,
      hints: queue("hints", hints),
      deliveries: port("deliveries", ports.deliveries),
      queue: queue("queue", messages),
    };
  };
  const start = (name: string, work: (taskPorts: ReturnType<typeof portsOf>) => Promise<unknown>) =>
    sim.start(name, (task) => work(portsOf(task)));
  const by = { by: "ada" };

  return {
    scene,
    sim,
    history,
    posted,
    queues: { hints, phaseHints, messages },
    rival: {
      pause: () => start("pause", (own) => pausePlan(key, by, own)),
      resume: () => start("resume", (own) => resumePaused(key, by, own)),
      cancel: () => start("cancel", (own) => cancelPlan(key, by, own)),
      worker: () => start("worker", (own) => work(own, { v: 1, ...key, run: 1 })),
    } satisfies Readonly<Record<PhaseRival, () => Task>>,
    work: (hint: Hint) => start("worker", (own) => work(own, hint)),
    announce: (hint: Hint) =>
      start("announcer", (own) => announcePhases({ ...own, frontiers: own.raw, hasBus: false }, hint)),
    deliver: (message: DeliveryMessage) =>
      start("deliverer", (own) =>
        deliverPhase(
          {
            ...own,
            putEvent: undefined,
            secrets: ports.namedSecrets,
            random: () => 0,
            async post({ headers, body }) {
              posted.push({ id: headers["webhook-id"] ?? "", body });
              return { kind: "answered", status: 200 };
            },
          },
          message,
        ),
      ),
    reconcile: () =>
      start("reconciler", async (own) => {
        await reconcileRuns({ dueByEpochSeconds: endOfTime }, { ...own, frontiers: own.raw });
        await reconcileDeliveries({ dueByEpochSeconds: endOfTime }, own);
      }),
  };
}

const work = (ports: Parameters<typeof advanceRun>[1], hint: Hint) =>
  advanceRun({ hint, receiveCount: 1, deadlineEpochMs: ports.clock.now() + 60_000 }, ports);

const faults: readonly Fault[] = ["throttle", "applied_but_errored", "crash", "crash_after"];

/** Takes one message of a queue, at random, and gives it to whoever handles it; now and then it stays and comes again. */
function takeOne(model: PhaseModel, choices: Choices): boolean {
  const { hints, phaseHints, messages } = model.queues;
  const take = <T>(queue: T[], handle: (message: T) => unknown): boolean => {
    const at = choices.below(Math.max(1, queue.length));
    const message = queue[at];
    if (message === undefined) return false;
    if (!choices.chance(0.2)) queue.splice(at, 1);
    handle(message);
    return true;
  };
  switch (choices.below(3)) {
    case 0:
      return take(hints, model.work);
    case 1:
      return take(phaseHints, model.announce);
    default:
      return take(messages, model.deliver);
  }
}

/** Lets everything run into everything, with so many faults at any await; messages come twice, late, or never. */
export async function runPhaseSchedule(
  model: PhaseModel,
  schedule: {
    readonly choices: Choices;
    readonly rivals: readonly PhaseRival[];
    readonly faults: number;
  },
): Promise<void> {
  const { choices } = schedule;
  const rivals = [...schedule.rivals];
  let faultsLeft = schedule.faults;
  for (let turn = 0; turn < 400; turn += 1) {
    await model.sim.settle();
    const { waiting } = model.sim;
    if (waiting.length === 0 || choices.chance(0.15)) {
      const [rival] = choices.chance(0.4) ? rivals.splice(0, 1) : [];
      if (rival !== undefined) model.rival[rival]();
      else if (!takeOne(model, choices) && waiting.length === 0 && rivals.length === 0) break;
      continue;
    }
    const chosen = waiting[choices.below(waiting.length)];
    if (chosen === undefined) continue;
    const isFaulty = faultsLeft > 0 && choices.chance(0.08);
    if (isFaulty) faultsLeft -= 1;
    model.sim.proceed(chosen, isFaulty ? (faults[choices.below(faults.length)] ?? "none") : "none");
  }
  await settleAll(model);
}

/** All queues are lost, nothing fails any more, and a pause is released: the reconciler brings everything to its end. */
async function settleAll(model: PhaseModel): Promise<void> {
  const { hints, phaseHints, messages } = model.queues;
  await finish(model);
  for (let round = 0; round < 8; round += 1) {
    for (const queue of [hints, phaseHints, messages]) queue.length = 0;
    const frontier = await model.scene.storedFrontiers.latest(key);
    if (frontier?.state.phase === "paused") model.rival.resume();
    model.reconcile();
    await finish(model);
    for (let more = true; more; ) {
      const [hint] = hints.splice(0, 1);
      const [phaseHint] = phaseHints.splice(0, 1);
      const [message] = messages.splice(0, 1);
      if (hint !== undefined) model.work(hint);
      if (phaseHint !== undefined) model.announce(phaseHint);
      if (message !== undefined) model.deliver(message);
      more = hint !== undefined || phaseHint !== undefined || message !== undefined;
      await finish(model);
    }
  }
}

async function finish({ sim }: PhaseModel): Promise<void> {
  for (;;) {
    await sim.settle();
    const [next] = sim.waiting;
    if (next === undefined) return;
    sim.proceed(next, "none");
  }
}

/** The phases that the plan had were told: each, under its number, under one id, and no other. */
export async function assertAllTold({ history, posted, scene }: PhaseModel): Promise<void> {
  const messages = posted.map(({ id, body }) => ({ id, ...told({ body }).data }));
  const bySequence = new Map(messages.map(({ sequence, phase }) => [sequence, phase]));
  const inOrder = [...bySequence].sort(([one], [other]) => one - other);
  assert.deepEqual(
    inOrder,
    history.map((phase, index) => [index + 1, phase]),
  );
  assert.equal(new Set(messages.map(({ id }) => id)).size, history.length);
  const frontier = await scene.storedFrontiers.latest(key);
  assert.ok(["completed", "cancelled"].includes(frontier?.state.phase ?? ""), frontier?.state.phase);
  assert.equal(frontier?.nextCheckEpochSeconds, undefined);
}
