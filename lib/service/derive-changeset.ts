import type { Caller } from "../access/caller.ts";
import type { DerivedReply } from "../api/apply-replies.ts";
import type { DeriveRequest } from "../api/apply-requests.ts";
import { deriveMerge } from "../apply/derive-merge.ts";
import { derivePartial } from "../apply/derive-partial.ts";
import { deriveRollback } from "../apply/derive-rollback.ts";
import type { DerivedChangeset } from "../apply/derived-changeset.ts";
import type { ApplyConflict } from "../apply/net-change.ts";
import { netEntries } from "../apply/net-entries.ts";
import type { ContentStore } from "../content/content-store.ts";
import { ConflictError, InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { requireSealed } from "../run/ended-run.ts";
import type { Frontier } from "../run/frontier.ts";
import { readEntryContent } from "../run/read-run-state.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { openPlan } from "./apply-plan.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { changedResource, readTarget, writtenResource } from "./apply-target.ts";
import { changesetChanges, keepInStore } from "./changeset-changes.ts";
import { counted } from "./counted.ts";
import { derivedFields } from "./derived-reply.ts";
import { findChangeset } from "./find-changeset.ts";
import { requireLanded } from "./find-landed.ts";
import { projectBody } from "./projects.ts";
import { allDecisionRecords, allEntries } from "./run-records.ts";
import { listedConflicts } from "./start-apply.ts";

export interface DerivePorts extends ApplyPorts {
  readonly tools: Pick<ToolRegistry, "get">;
}

interface Source {
  readonly plan: PlanRecord;
  readonly frontier: Frontier;
  readonly request: DeriveRequest;
}

/**
 * Makes a changeset from another and keeps it under its own digest; making it again gives the same. What is in the way is a
 * `ConflictError` with all conflicts (`merge_conflict`), and then nothing is kept.
 */
export const deriveChangeset = async (
  ports: DerivePorts,
  order: { readonly caller: Caller; readonly planId: string; readonly request: DeriveRequest },
): Promise<DerivedReply> => {
  const { plan, latest } = await openPlan(ports, order);
  const { request } = order;
  checkRequest(request);
  const { changeset, content } = await derive(ports, { plan, frontier: await latest(), request });
  // What it is to land lies in the content store before anybody can apply it.
  const changes = Object.keys(changeset.baseTrees).flatMap((name) => netEntries(changeset.entries, name));
  await keepInStore(ports.storesOf(plan.tenant).content, { changes, content });
  const standing = await ports.derived.putIfAbsent(plan.tenant, {
    ...changeset,
    derivedBy: order.caller.principal,
  });
  return { ...derivedFields(standing), message: messageOf(changeset) };
};

const checkRequest = ({ kind, only }: DeriveRequest): void => {
  if ((kind === "partial") === (only !== undefined)) return;
  throw new ValidationError({
    field: "/only",
    message:
      kind === "partial"
        ? "/only is required: name the decisions to take."
        : `/only belongs to a partial changeset; a ${kind} takes the whole one.`,
  });
};

interface Derived {
  readonly changeset: DerivedChangeset;
  /** Of everything that its entries leave. */
  readonly content: Pick<ContentStore, "get">;
}

const derive = (ports: DerivePorts, source: Source): Promise<Derived> => {
  const { kind } = source.request;
  switch (kind) {
    case "merge":
      return merge(ports, source);
    case "partial":
      return part(ports, source);
    case "rollback":
      return rollback(ports, source);
    default:
      return kind satisfies never;
  }
};

const merge = async (ports: DerivePorts, source: Source): Promise<Derived> => {
  const { plan, frontier, request } = source;
  const resource = writtenResource(plan);
  const found = await findChangeset(ports, frontier, request.of);
  if (found.kind === "rollback") {
    throw new ValidationError({
      field: "/of",
      message:
        "/of names a rollback, which is not merged: make the rollback again, it is made for the project as it is now.",
    });
  }
  const target = await readTarget(ports, { tenant: plan.tenant, project: resource.project });
  const { content } = await changesetChanges(ports, frontier, { changeset: found, resource });
  const derivation = await deriveMerge({
    planId: plan.planId,
    of: request.of,
    entries: found.derived?.entries ?? (await allEntries(ports, frontier)),
    target: { resource: resource.name, tree: target.body.tree },
    trees: ports.storesOf(plan.tenant).trees,
    content,
  });
  if (derivation.status === "conflicts") throw mergeConflict(source, derivation.conflicts);
  const { changeset, newContents } = derivation;
  return { changeset, content: { get: async (sha256) => newContents.get(sha256) ?? content.get(sha256) } };
};

/** A part needs no project: it can be applied to a directory too. */
const part = async (ports: DerivePorts, { plan, frontier, request }: Source): Promise<Derived> => {
  const resource = changedResource(plan.plan) ?? writtenResource(plan);
  const { digest } = requireSealed(frontier).state;
  if (request.of !== digest) {
    throw new ConflictError({
      code: "digest_mismatch",
      message: `A part is taken of the sealed changeset, whose digest is ${digest}.`,
      details: { digest, given: request.of },
    });
  }
  const { decisions, dependsOn } = await allDecisionRecords(ports, frontier);
  const changeset = await derivePartial({
    planId: plan.planId,
    of: digest,
    decisions,
    dependsOn,
    only: request.only ?? [],
    base: { resource: resource.name, tree: resource.baseTree },
    trees: ports.storesOf(plan.tenant).trees,
  });
  const recorded = new Map(decisions.map((decision) => [decision.decisionId, decision]));
  const makers = new Map(
    changeset.entries.flatMap(({ decisionId, after }) => {
      const maker = recorded.get(decisionId);
      return after === null || maker === undefined ? [] : [[after.sha256, maker] as const];
    }),
  );
  const { tenant, planId } = plan;
  return {
    changeset,
    content: {
      get: async (sha256) => {
        const maker = makers.get(sha256);
        if (maker === undefined) return undefined;
        return readEntryContent({ tenant, planId, run: maker.run, ordinal: maker.ordinal }, sha256, ports);
      },
    },
  };
};

const rollback = async (ports: DerivePorts, source: Source): Promise<Derived> => {
  const { plan, request } = source;
  const resource = writtenResource(plan);
  const { landed, frontier } = await requireLanded(ports, source.frontier, request.of);
  const { tenant, planId } = plan;
  const [made, before] = await Promise.all([
    revisionTree(ports, { tenant, ...landed }),
    revisionTree(ports, { tenant, ...landed, revision: landed.revision - 1 }),
  ]);
  const target = await readTarget(ports, { tenant, project: landed.project });
  const applied = await ports.derived.get({ tenant, planId, digest: landed.digest });
  const { decisions } = await allDecisionRecords(ports, frontier);
  const taken = new Set(applied?.entries.map(({ decisionId }) => decisionId));
  const derivation = await deriveRollback({
    planId,
    undoes: request.of,
    entries: applied?.entries ?? (await allEntries(ports, frontier)),
    revision: { before, after: made },
    target: { resource: resource.name, tree: target.body.tree },
    trees: ports.storesOf(tenant).trees,
    decisions:
      applied?.kind === "partial" ? decisions.filter(({ decisionId }) => taken.has(decisionId)) : decisions,
    isExternal: (tool) =>
      plan.plan.tools?.some(({ name }) => name === tool) === true ||
      ports.tools.get(tool)?.effect === "external",
  });
  if (derivation.status === "conflicts") throw mergeConflict(source, derivation.conflicts);
  return { changeset: derivation.changeset, content: ports.contentOf(tenant) };
};

const revisionTree = async (
  { resources }: Pick<DerivePorts, "resources">,
  at: { readonly tenant: string; readonly project: string; readonly revision: number },
): Promise<string> => {
  const { tenant, project, revision } = at;
  const record = await resources.getRevision({ tenant, kind: "projects", id: project, revision });
  if (record !== undefined) return projectBody.parse(record.body).tree;
  throw new InfrastructureError({ message: `Revision ${revision} of project ${project} is not there.` });
};

const mergeConflict = ({ plan, request }: Source, conflicts: readonly ApplyConflict[]): ConflictError =>
  new ConflictError({
    code: "merge_conflict",
    message: `${request.kind === "rollback" ? "The rollback" : "The merge"} of ${request.of} onto ${changedResource(plan.plan)?.project} is in conflict at ${conflicts.length === 1 ? "one path" : `${conflicts.length} paths`}, ${JSON.stringify(conflicts[0]?.path)} the first. ${request.kind === "rollback" ? "Later work stands on what was applied: take that back first, or write the project by hand." : `Put the project back there, or submit a plan that is made on it as it is now.`} Nothing was changed.`,
    details: {
      planId: plan.planId,
      of: request.of,
      conflicts: conflicts.slice(0, listedConflicts),
      conflictCount: conflicts.length,
    },
  });

const messageOf = (changeset: DerivedChangeset): string => {
  const entries = changeset.entries.length === 1 ? "1 entry" : `${changeset.entries.length} entries`;
  switch (changeset.kind) {
    case "merge":
      return `Merged: ${entries}. Review the diff, and apply the digest ${changeset.digest}.`;
    case "partial":
      return `A part: ${entries}, ${counted(changeset.added.length, "decision")} added to those asked for. Review the diff, and apply the digest ${changeset.digest}.`;
    case "rollback":
      return changeset.externalEffects.length === 0
        ? `A rollback: ${entries}. Review the diff, and roll back under the digest ${changeset.digest}.`
        : `A rollback: ${entries}. It cannot undo ${counted(changeset.externalEffects.length, "external effect")}. Review both, and roll back under the digest ${changeset.digest}.`;
    default:
      return changeset satisfies never;
  }
};
