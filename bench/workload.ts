import { randomBytes } from "node:crypto";
import { seeded, sourceText } from "../test/slow/source-text.testkit.ts";

/** A plan and the project that it runs on. */
export interface Workload {
  readonly project: readonly {
    readonly path: string;
    readonly mode: "100644";
    readonly read: () => Promise<Uint8Array>;
  }[];
  readonly decisions: readonly {
    readonly id: string;
    readonly toolCalls: readonly {
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

const pathOf = (file: number): string => `src/room-${file % 10}/module-${file}.ts`;
const text = (content: string) => async () => Buffer.from(content);

/** Each decision replaces 2 KB of source text in a file of some such blocks; rounds go over all files. */
export function edits(options: {
  readonly decisions: number;
  readonly files: number;
  readonly blocksPerFile: number;
  readonly blockBytes: number;
}): Workload {
  const { decisions, files, blocksPerFile, blockBytes } = options;
  const slots = files * blocksPerFile;
  const block = (slot: number, version: number) => sourceText(slot + version * slots, blockBytes);
  const contentOf = (file: number) =>
    Array.from({ length: blocksPerFile }, (_, which) => block(file * blocksPerFile + which, 0)).join("");
  return {
    project: Array.from({ length: files }, (_, file) => ({
      path: pathOf(file),
      mode: "100644",
      read: text(contentOf(file)),
    })),
    decisions: Array.from({ length: decisions }, (_, index) => {
      const file = index % files;
      const round = Math.floor(index / files);
      const slot = file * blocksPerFile + (round % blocksPerFile);
      const version = Math.floor(round / blocksPerFile);
      const edit = { oldText: block(slot, version), newText: block(slot, version + 1) };
      return {
        id: `d${index}`,
        toolCalls: [{ tool: "edit_file", input: { path: pathOf(file), edits: [edit] } }],
      };
    }),
  };
}

/** Each decision writes a whole file anew. */
export function rewrites(options: {
  readonly decisions: number;
  readonly files: number;
  readonly sizeBytes: number;
}): Workload {
  const { decisions, files, sizeBytes } = options;
  return {
    project: Array.from({ length: files }, (_, file) => ({
      path: pathOf(file),
      mode: "100644",
      read: text(sourceText(file, sizeBytes)),
    })),
    decisions: Array.from({ length: decisions }, (_, index) => ({
      id: `d${index}`,
      toolCalls: [
        {
          tool: "write_file",
          input: { path: pathOf(index % files), content: sourceText(files + index, sizeBytes) },
        },
      ],
    })),
  };
}

/** Bytes that nothing compresses, in base64: the most that a change of this size can cost. */
export function incompressible(options: {
  readonly decisions: number;
  readonly sizeBytes: number;
}): Workload {
  const { decisions, sizeBytes } = options;
  return {
    project: [],
    decisions: Array.from({ length: decisions }, (_, index) => ({
      id: `d${index}`,
      toolCalls: [
        {
          tool: "write_file",
          input: {
            path: `data-${index % 50}.bin`,
            content: randomBytes(sizeBytes).toString("base64"),
            encoding: "base64",
          },
        },
      ],
    })),
  };
}

/** Decisions without a tool call: what the engine itself costs. */
export function noOps(decisions: number): Workload {
  return {
    project: [],
    decisions: Array.from({ length: decisions }, (_, index) => ({ id: `d${index}`, toolCalls: [] })),
  };
}

/** Skills for a sync, the same at every run. */
export function skills(count: number, version = "1"): Record<string, unknown>[] {
  const random = seeded(7);
  return Array.from({ length: count }, (_, index) => ({
    id: `local/skill-${String(index).padStart(6, "0")}`,
    name: `Skill ${index}`,
    version,
    metadata: {},
    description: `What skill ${index} is for`,
    instructions: sourceText(Math.floor(random() * 1e9), 600),
  }));
}
