import { openStoredExecutor } from "../runtime/stored-executor.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolError } from "../tools/tool-error.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import type { Frontier } from "./frontier.ts";
import { key, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import { type SimulatedQueue, simulatedQueue } from "./simulated-queue.testkit.ts";
import { type Simulation, simulation, type Task } from "./simulation.testkit.ts";

/** What reached the outside, in order. */
export interface ExternalEffect {
  readonly tool: "charge" | "notify";
  readonly idempotencyKey: string;
  /** The frontier that recorded the intent of it last; absent where none did. */
  readonly intended: Frontier | undefined;
}

/** The engine's production code over a simulation: stores and queue in memory, every call of a port a choice. */
export interface ModelWorld {
  readonly sim: Simulation;
  readonly queue: SimulatedQueue;
  readonly deadLetters: SimulatedQueue;
  readonly trees: TreeStore;
  readonly effects: readonly ExternalEffect[];
  /** Every frontier that was ever written, in order. */
  readonly history: readonly Frontier[];
  /** Ports that take their turn, for one worker or caller. */
  portsOf(task: Task): RunPorts & { readonly ids: { ulid(): string } };
  /** The same stores, without turns or faults. */
  readonly calm: RunPorts & { readonly ids: { ulid(): string } };
  submit(document: unknown): Promise<void>;
}

export const baseFiles = { "a.txt": "base a\n", "src/c.ts": "base c\n", "keep.txt": "kept\n" };

const text = (input: Readonly<Record<string, unknown>>, name: string): string => String(input[name]);

/** Adds to a file: unlike a write, it shows when a decision ran twice or on a wrong state. */
export const append: Tool = {
  name: "append",
  description: "Adds text to a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
  effect: "workspace",
  async run(input, { workspace }) {
    const files = workspace();
    const { bytes: before } = await files.readFile(text(input, "path"));
    await files.writeFile(text(input, "path"), Buffer.concat([before, Buffer.from(text(input, "text"))]));
    return { output: "added" };
  },
};

export const externalTool = (
  name: "charge" | "notify",
  perform: (tool: ExternalEffect["tool"], idempotencyKey: string) => Promise<void>,
): Tool => ({
  name,
  description: "Reaches outside.",
  inputSchema: { type: "object" },
  effect: "external",
  idempotent: name === "notify",
  timeLimitMs: 5_000,
  async run(input, { idempotencyKey = "" }) {
    if (input.amount === 0) {
      throw new ToolError({ code: "external_failed", message: "Nothing to charge." });
    }
    await perform(name, idempotencyKey);
    return { output: `${name} done` };
  },
});

export function modelWorld(): ModelWorld {
  const sim = simulation(1_800_000_000_000);
  const clock = {
    get epochMs() {
      return sim.epochMs;
    },
    set epochMs(value) {
      sim.epochMs = value;
    },
    now: () => sim.epochMs,
  };
  const world = memoryWorld({ clock });
  const queue = simulatedQueue(clock.now);
  const history: Frontier[] = [];
  const effects: ExternalEffect[] = [];
  const { frontiers } = world.ports;
  const recorded: RunPorts["frontiers"] = {
    ...frontiers,
    async create(run) {
      const created = await frontiers.create(run);
      const known = history.some(({ run: other, revision }) => other === run.run && revision === 0);
      if (created.frontier.revision === 0 && !known) {
        history.push(created.frontier);
      }
      return created;
    },
    async move(next) {
      const moved = await frontiers.move(next);
      if (moved) {
        history.push(structuredClone(next));
      }
      return moved;
    },
  };
  const outside = {
    async perform(tool: ExternalEffect["tool"], idempotencyKey: string): Promise<void> {
      const intended = history.findLast(({ intent }) => intent?.idempotencyKey === idempotencyKey);
      effects.push({ tool, idempotencyKey, intended });
    },
  };
  const ids = { next: 0, ulid: () => `CHANGESET-${++ids.next}` };

  const openExecutorFor = (perform: typeof outside.perform): RunPorts["openExecutor"] =>
    openStoredExecutor({
      treesOf: () => world.trees,
      runner: new ToolRunner({
        registry: new ToolRegistry([
          ...builtinTools(),
          append,
          externalTool("charge", perform),
          externalTool("notify", perform),
        ]),
      }),
      clock,
      // Little, so that what was let go is read again.
      heldContentBytes: 1_000,
    });
  const calm = {
    ...world.ports,
    frontiers: recorded,
    hints: queue,
    ids,
    openExecutor: openExecutorFor(outside.perform),
  };
  return {
    sim,
    queue,
    deadLetters: simulatedQueue(clock.now),
    trees: world.trees,
    effects,
    history,
    calm,
    portsOf(task) {
      const content = sim.port(task, "content", world.content);
      const tools = sim.port(task, "tool", outside);
      return {
        ...calm,
        frontiers: sim.port(task, "frontiers", recorded),
        steps: sim.port(task, "steps", world.ports.steps),
        results: sim.port(task, "results", world.ports.results),
        hints: sim.port(task, "hints", queue),
        signer: sim.port(task, "signer", world.ports.signer),
        contentOf: () => content,
        timer: sim.timerOf(task),
        openExecutor: openExecutorFor((tool, idempotencyKey) => tools.perform(tool, idempotencyKey)),
      };
    },
    async submit(document) {
      const frontier = await world.submit(document, baseFiles);
      history.push(frontier);
      await queue.send({ v: 1, ...key, run: 1 });
    },
  };
}
