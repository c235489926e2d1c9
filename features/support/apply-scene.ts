import assert from "node:assert/strict";
import type { DerivedReply } from "#lib/api/apply-replies.ts";
import type { LastApplyReply } from "#lib/api/plan-replies.ts";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { collected } from "./collected.ts";
import { parsedRecord } from "./plan-text.ts";
import type { PlanWorld } from "./plan-world.ts";
import { serviceAddress } from "./service.ts";

/** What scenarios about applies share: a project of the service, and what was derived from the plan's changeset. */
export interface ApplyScene {
  readonly project: string;
  derived: DerivedReply | undefined;
  /** How each of several attempts at the same time came out: accepted, or the code of its refusal. */
  outcomes: readonly string[];
}

const scenes = new WeakMap<PlanWorld, ApplyScene>();

export function applyScene(world: PlanWorld): ApplyScene {
  const scene = scenes.get(world) ?? {
    project: `features/${world.planId}`,
    derived: undefined,
    outcomes: [],
  };
  scenes.set(world, scene);
  return scene;
}

/** The plan of a feature file, on the scenario's project. */
export const planOnProject = (world: PlanWorld, text: string): Readonly<Record<string, unknown>> => ({
  ...parsedRecord(text),
  projectResources: { app: { project: applyScene(world).project } },
});

export async function sealedDigest(world: PlanWorld): Promise<string> {
  const { digest } = await world.http.status();
  assert.ok(digest, "the run has not ended");
  return digest;
}

export function derivedChangeset(world: PlanWorld): DerivedReply {
  const { derived } = applyScene(world);
  assert.ok(derived, "no changeset was derived");
  return derived;
}

/** Waits until no apply of the plan is under way; answers how the last one ended. */
export async function applyOutcome(world: PlanWorld): Promise<LastApplyReply> {
  const { lastApply } = await world.http.waitUntil(({ applying }) => applying === undefined);
  assert.ok(lastApply, "nothing was applied");
  return lastApply;
}

/** What an attempt came to, in a word: `accepted`, or the code of its refusal. */
export async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "accepted";
  } catch (fault) {
    assert.ok(fault instanceof PlanledgerError, String(fault));
    return fault.code;
  }
}

/** Somebody else of the same tenant; or oneself, with another token. */
export async function clientAs(world: PlanWorld, principal: string | undefined): Promise<PlanledgerClient> {
  const { token } = await world.http.client.tokens.create({
    scopes: ["plans:read", "plans:write", "plans:approve"],
    ...(principal !== undefined && { principal }),
  });
  return planledgerClient({ ...serviceAddress(), token });
}

export const revisionsOf = (world: PlanWorld) =>
  collected(world.http.client.projects.revisions(applyScene(world).project));
