import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { AcceptedReply, DecisionReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import type { ToolCall } from "#lib/plan/compiled-plan.ts";
import { collected } from "./collected.ts";
import type { Files, PlanDriver, PlanReport, PlanText } from "./plan-driver.ts";
import type { ServiceAddress } from "./service-address.ts";

const pollIntervalMs = 5;
const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "applied"]);

/** The service over HTTP, by the public client; what only HTTP can do stands beside the driver's own methods. */
export interface HttpDriver extends PlanDriver {
  readonly client: PlanledgerClient;
  readonly planId: string;
  submit(plan: PlanText): Promise<AcceptedReply>;
  status(run?: number): Promise<PlanStatusReply>;
  decisions(run?: number): Promise<readonly DecisionReply[]>;
  /** Waits for the condition to hold of the status; gives up when the plan has ended without it, or after a minute. */
  waitUntil(holds: (status: PlanStatusReply) => boolean): Promise<PlanStatusReply>;
  resume(toolCalls?: Readonly<Record<string, readonly ToolCall[]>>): Promise<void>;
}

export function httpDriver(service: ServiceAddress): HttpDriver {
  const client = planledgerClient(service);
  let tree: string | undefined;
  let planId = "";

  async function waitUntil(holds: (status: PlanStatusReply) => boolean): Promise<PlanStatusReply> {
    const giveUp = AbortSignal.timeout(60_000);
    for (;;) {
      const status = await client.planStatus({ planId, signal: giveUp });
      if (holds(status)) {
        return status;
      }
      await delay(pollIntervalMs, undefined, { signal: giveUp });
      assert.ok(!terminal.has(status.phase), `the plan ended as ${status.phase}: ${status.message}`);
    }
  }

  async function submit(plan: PlanText): Promise<AcceptedReply> {
    planId = plan.planId;
    const resources = tree === undefined ? {} : { projectResources: { app: { tree } } };
    return client.executePlan({ planId, plan: { ...plan.document, ...resources } });
  }

  const ended = async () => {
    for await (const _ of client.eventPages({ planId, follow: true })) {
      // Followed to the end.
    }
    await waitUntil((status) => terminal.has(status.phase));
  };

  const decisions = async (run?: number) =>
    collected(client.decisions({ planId, ...(run !== undefined && { run }) }));

  return {
    client,
    get planId() {
      return planId;
    },
    submit,
    waitUntil,
    decisions,
    status: (run) => client.planStatus({ planId, ...(run !== undefined && { run }) }),
    async resume(toolCalls) {
      await client.resume({ planId, ...(toolCalls !== undefined && { toolCalls }) });
      await ended();
    },
    async provideProject(files: Files) {
      const sources = [...files].map(([path, bytes]) => ({
        path,
        mode: "100644" as const,
        read: async () => bytes,
      }));
      ({ tree } = await uploadTree({ client, files: sources }));
    },
    async execute(plan) {
      await submit(plan);
      await ended();
    },
    async report(): Promise<PlanReport> {
      const status = await client.planStatus({ planId });
      const pages = await collected(client.changeset({ planId }));
      const found = await decisions();
      const events = await collected(client.events({ planId }));
      return {
        phase: status.phase,
        run: status.run,
        digest: status.digest,
        noChanges: status.noChanges,
        toolCalls: status.toolCalls,
        decisions: found.map(({ decisionId, status: outcome, failure }) => ({
          decisionId,
          status: outcome,
          because: failure?.because ?? [],
          ...(failure !== undefined && { code: failure.code }),
        })),
        entries: pages.flatMap((page) => page.entries),
        events: events.map(({ seq, type, decisionId }) => ({
          seq,
          type,
          ...(decisionId !== undefined && { decisionId }),
        })),
      };
    },
    diff: async () => Buffer.concat(await collected(client.diff({ planId }))),
    content: (sha256) => client.planContent({ planId, sha256 }),
    async output(decisionId, callOrdinal) {
      const found = await decisions();
      const call = found.find((one) => one.decisionId === decisionId)?.calls[callOrdinal];
      assert.ok(call, `decision ${decisionId} has no call ${callOrdinal}`);
      return Buffer.from(call.output);
    },
    async close() {
      // The service outlives the scenario.
    },
  };
}
