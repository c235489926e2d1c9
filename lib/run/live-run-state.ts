import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { recentlyUsed } from "../plan/recently-used.ts";
import type { CallInputs } from "./call-inputs.ts";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "./checkpoint-codec.ts";
import { contentInStep } from "./content-in-step.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { CheckpointRef, Frontier } from "./frontier.ts";
import { depthOf, depthOfStored, type KeptContent, maxDeltaDepth } from "./kept-content.ts";
import { type OverlayMap, overlayDecision, overlayMap } from "./overlay-map.ts";
import type { OverlayEntry, RunState } from "./run-state.ts";
import type { RunKey, StepStore } from "./run-store.ts";
import type { Step, StepRef } from "./step.ts";

const stepsPerRead = 16;
const keptSteps = 8;
/** A checkpoint is due after this many steps or decisions, so that a state never loads more than that one by one. */
const stepsPerCheckpoint = 64;

interface StatePorts {
  readonly steps: Pick<StepStore, "get" | "range">;
  readonly content: ContentStore;
  readonly inputs: CallInputs;
}

interface Segment {
  readonly sha256: string;
  readonly overlay: OverlayMap;
  readonly notLanded: ReadonlySet<number>;
}

/** The state as the engine keeps it: what became final is added to it, and it can be put away as a checkpoint. */
export interface LiveRunState extends RunState {
  /** The step that holds a content; `undefined` where no step does that made this state. */
  locate(sha256: string): StepRef | undefined;
  /** How many deltas deep a content is kept; as deep as can be where that is not known. */
  deltaDepth(sha256: string): number;
  /** A decision becomes part of the state; its new content rides in `step` (or lies in the content store). */
  add(
    record: DecisionRecord,
    content: { readonly step: StepRef; readonly inStep: ReadonlyMap<string, KeptContent> },
  ): void;
  stepEnded(): void;
  readonly checkpointDue: boolean;
  /** Writes what came since the last checkpoint. The engine has nothing in the state that is not final at `position`. */
  checkpoint(position: number): Promise<CheckpointRef>;
}

/**
 * Loads the state of a run: the segments that its checkpoint names, then the steps since, at most about 64. Segments grow
 * by the logarithmic method (a new one swallows older ones of up to twice its size), so all checkpoints of a run together
 * write each path a logarithmic number of times.
 */
export async function loadRunState(frontier: Frontier, ports: StatePorts): Promise<LiveRunState> {
  const state = liveRunState(frontier, ports);
  await state.load(frontier);
  return state;
}

function liveRunState(
  key: RunKey,
  { steps, content, inputs }: StatePorts,
): LiveRunState & { load(frontier: Frontier): Promise<void> } {
  const whole = overlayMap();
  const notLanded = new Map<number, string>();
  const located = new Map<string, StepRef>();
  /** Of contents in steps; a checkpoint of an earlier version told none. */
  const depths = new Map<string, number>();
  const segments: Segment[] = [];
  let fresh = overlayMap();
  let freshNotLanded = new Set<number>();
  let stepsSince = 0;

  const stepAt = recentlyUsed(keptSteps, async (name) => {
    const [run = 0, from = 0, epoch = 0] = name.split("/").map(Number);
    return steps.get({ tenant: key.tenant, planId: key.planId, run, from, epoch });
  });

  const stepOf = ({ run, from, epoch }: StepRef) => stepAt(`${run}/${from}/${epoch}`);

  async function getContent(sha256: string): Promise<Uint8Array | undefined> {
    const at = located.get(sha256);
    if (at === undefined) {
      return content.get(sha256);
    }
    const step = await stepOf(at);
    const found =
      step === undefined ? undefined : await contentInStep(step, sha256, { step: stepOf, content, inputs });
    return found ?? content.get(sha256);
  }

  function set(resource: string, path: string, entry: OverlayEntry): void {
    whole.set(resource, path, entry);
    if (entry.file !== null && entry.at !== undefined) {
      located.set(entry.file.sha256, entry.at);
    }
  }

  async function loadSegment(sha256: string): Promise<Checkpoint> {
    const bytes = await content.get(sha256);
    if (bytes === undefined) {
      throw new InfrastructureError({
        code: "content_missing",
        message: `The checkpoint ${sha256} of plan ${key.planId} is not in the content store.`,
      });
    }
    return decodeCheckpoint(bytes);
  }

  function takeSegment(sha256: string, segment: Checkpoint): void {
    const overlay = overlayMap();
    for (const [resource, path, file, at, depth] of segment.entries) {
      if (file !== null && depth !== undefined) {
        depths.set(file.sha256, depth);
      }
      const entry = at === null ? { file } : { file, at };
      overlay.set(resource, path, entry);
      set(resource, path, entry);
    }
    const ofThisRun = segment.run === key.run ? segment.notLanded : [];
    for (const [ordinal, id] of ofThisRun) {
      notLanded.set(ordinal, id);
    }
    segments.push({ sha256, overlay, notLanded: new Set(ofThisRun.map(([ordinal]) => ordinal)) });
  }

  function locateAll(contents: ReadonlyMap<string, KeptContent>, at: StepRef): void {
    for (const [sha256, kept] of contents) {
      located.set(sha256, at);
      depths.set(sha256, depthOf(kept));
    }
  }

  function add(
    record: DecisionRecord,
    where: { readonly step: StepRef; readonly inStep: ReadonlyMap<string, KeptContent> },
  ): void {
    locateAll(where.inStep, where.step);
    if (record.outcome.status !== "landed") {
      notLanded.set(record.ordinal, record.decisionId);
      freshNotLanded.add(record.ordinal);
      return;
    }
    const both = {
      set(resource: string, path: string, entry: OverlayEntry) {
        set(resource, path, entry);
        fresh.set(resource, path, entry);
      },
    };
    overlayDecision(both, record, (sha256) => located.get(sha256));
  }

  function addStep(step: Step): void {
    const at = { run: step.run, from: step.from, epoch: step.epoch };
    locateAll(step.contents, at);
    // What was written again as it had stood before: its step may lie before the checkpoint, which names it no more.
    for (const [sha256, older] of step.contentAt) {
      located.set(sha256, older);
    }
    for (const record of step.decisions) {
      add(record, { step: at, inStep: new Map() });
    }
    stepsSince += 1;
  }

  return {
    overlay: whole.overlay,
    notLanded,
    content: { get: getContent },
    locate: (sha256) => located.get(sha256),
    deltaDepth: (sha256) =>
      located.has(sha256) ? (depths.get(sha256) ?? maxDeltaDepth) : depthOfStored(sha256),
    add,
    stepEnded() {
      stepsSince += 1;
    },
    get checkpointDue() {
      return stepsSince >= stepsPerCheckpoint;
    },
    async checkpoint(position) {
      const kept = [...segments];
      const overlay = fresh;
      const ordinals = freshNotLanded;
      for (
        let last = kept.at(-1);
        last !== undefined && weight(last) <= 2 * (overlay.size + ordinals.size);
      ) {
        // The newest state of each path is in `whole`, whichever segment names the path.
        for (const [resource, path, entry] of last.overlay.entries()) {
          overlay.set(resource, path, whole.get(resource, path) ?? entry);
        }
        for (const ordinal of last.notLanded) {
          ordinals.add(ordinal);
        }
        kept.pop();
        last = kept.at(-1);
      }
      const bytes = encodeCheckpoint({
        v: 1,
        run: key.run,
        older: kept.map((segment) => segment.sha256),
        entries: [...overlay.entries()].map(([resource, path, { file, at }]) => {
          const depth = file === null || at === undefined ? undefined : depths.get(file.sha256);
          const entry = [resource, path, file, at ?? null] as const;
          return depth === undefined ? [...entry] : [...entry, depth];
        }),
        notLanded: [...ordinals].map((ordinal) => [ordinal, notLanded.get(ordinal) ?? ""]),
      });
      const [sha256 = ""] = await content.put([bytes]);
      segments.splice(0, segments.length, ...kept, { sha256, overlay, notLanded: ordinals });
      fresh = overlayMap();
      freshNotLanded = new Set();
      stepsSince = 0;
      return { sha256, position };
    },
    async load(frontier) {
      const { checkpoint } = frontier;
      if (checkpoint !== undefined) {
        const newest = await loadSegment(checkpoint.sha256);
        const older = await Promise.all(newest.older.map(loadSegment));
        for (const [index, sha256] of newest.older.entries()) {
          const segment = older[index];
          if (segment !== undefined) {
            takeSegment(sha256, segment);
          }
        }
        takeSegment(checkpoint.sha256, newest);
      }
      for (let from = checkpoint?.position ?? 0; from < frontier.position; ) {
        const found = await steps.range({
          tenant: frontier.tenant,
          planId: frontier.planId,
          run: frontier.run,
          from,
          before: frontier.position,
          limit: stepsPerRead,
        });
        for (const step of found) {
          addStep(step);
          from = step.from + step.decisions.length;
        }
        if (found.length === 0) {
          throw new InfrastructureError({
            message: `Plan ${frontier.planId}, run ${frontier.run}: no step covers position ${from}, though the run stands at ${frontier.position}.`,
          });
        }
      }
    },
  };
}

function weight(segment: Segment): number {
  return segment.overlay.size + segment.notLanded.size;
}
