import type { Guard } from "./guard-list.ts";

const kept = { test: "lib/run/kept-content.test.ts" } as const;

/** Guards of content that is kept as a delta over a base or the inputs of calls, and of steps that become final meanwhile. */
export const contentGuards: readonly Guard[] = [
  {
    name: "content: what a delta gives is held to the hash of the content",
    file: "lib/run/kept-content.ts",
    find: "if (sha256Hex(bytes) === sha256) {",
    replace: 'if (sha256 !== "") {',
    ...kept,
    testName: "over other bytes",
  },
  {
    name: "content: deltas are read over the inputs that the run took, corrections included",
    file: "lib/run/call-inputs.ts",
    find: "return inputBytes(runPlan.corrected(decision));",
    replace: "return inputBytes(decision);",
    ...kept,
    testName: "in this run and the next",
  },
  {
    name: "content: a chain of deltas has an end",
    file: "lib/run/kept-content.ts",
    find: "base.depth < maxDeltaDepth",
    replace: "base.depth < 1_000",
    ...kept,
    testName: "deltas of bounded depth",
  },
  {
    name: "content: a file is not as deep as can be only because a checkpoint lies between",
    file: "lib/run/live-run-state.ts",
    find: "depths.set(file.sha256, depth);",
    replace: "depths.set(file.sha256, maxDeltaDepth);",
    ...kept,
    testName: "beyond a checkpoint",
  },
  {
    name: "upload: a directory that names new ones comes behind them",
    file: "lib/client/upload-bundles.ts",
    find: "if (large || elsewhere || namesNew(directory, isNew)) behind.push(directory);",
    replace: "if (large || elsewhere) behind.push(directory);",
    test: "lib/client/upload-bundles.test.ts",
  },
  {
    name: "upload: a directory whose new content travels elsewhere comes behind it",
    file: "lib/client/upload-bundles.ts",
    find: "if (large || elsewhere || namesNew(directory, isNew)) behind.push(directory);",
    replace: "if (large || namesNew(directory, isNew)) behind.push(directory);",
    test: "lib/client/upload-bundles.test.ts",
  },
  {
    name: "upload: what the service looks for counts",
    file: "lib/client/upload-bundles.ts",
    find: "items: 1 + directory.entries.length - named.length };",
    replace: "items: 1 };",
    test: "lib/client/upload-bundles.test.ts",
  },
  {
    name: "engine: nothing comes into the state while a checkpoint of it is made",
    file: "lib/run/run-worker.ts",
    find: "if (isCheckpoint) {",
    replace: "if (isCheckpoint && end.position < 0) {",
    test: "lib/run/pipelined-steps.test.ts",
    testName: "a checkpoint holds",
  },
  {
    name: "engine: one step at a time becomes final",
    file: "lib/run/run-worker.ts",
    find: "async function write(): Promise<void> {\n    await settle();",
    replace: "async function write(): Promise<void> {",
    test: "lib/run/pipelined-steps.test.ts",
    testName: "executed while that becomes final",
  },
  {
    name: "engine: nothing is written before the run is opened",
    file: "lib/run/run-worker.ts",
    find: "let underWay: Promise<void> = options.opened;",
    replace: "let underWay: Promise<void> = Promise.resolve();",
    test: "lib/run/pipelined-steps.test.ts",
    testName: "nothing is written unless it was",
  },
];
