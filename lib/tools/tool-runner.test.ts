import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sha256Hex } from "../canonical/sha256.ts";
import { ConflictError, InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import { builtinTools } from "./builtin/builtin-tools.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { ToolError } from "./tool-error.ts";
import { ToolRegistry } from "./tool-registry.ts";
import { ToolRunner } from "./tool-runner.ts";

const noWorkspace: Omit<ToolContext, "signal"> = {
  workspace: () => {
    throw new TypeError("no workspace here");
  },
};
const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

const runnerOf = (run: Tool["run"], overrides: Partial<Tool> = {}, outputLimitBytes?: number) =>
  new ToolRunner({
    registry: new ToolRegistry([
      { name: "t", description: "", inputSchema: schema, effect: "read", run, ...overrides },
    ]),
    ...(outputLimitBytes === undefined ? {} : { outputLimitBytes }),
  });
const outcomeOf = (run: Tool["run"], overrides: Partial<Tool> = {}, input: Record<string, unknown> = {}) =>
  runnerOf(run, overrides).run({ tool: "t", input }, noWorkspace);

describe("ToolRunner", () => {
  it("keeps output as bytes, with size and hash", async () => {
    const outcome = await outcomeOf(async () => ({ output: "é\0" }));
    assert.deepEqual(outcome, {
      status: "succeeded",
      output: {
        bytes: new Uint8Array(Buffer.from("é\0")),
        sizeBytes: 3,
        truncated: false,
        sha256: sha256Hex("é\0"),
      },
    });
  });

  it("F6: cuts what is above the limit between characters, and says so, with the hash of the whole", async () => {
    const whole = `${"x".repeat(64 * 1024 - 1)}é and more`;
    const { output } = await outcomeOf(async () => ({ output: whole }));
    assert.equal(output.truncated, true);
    assert.equal(output.bytes.byteLength, 64 * 1024 - 1);
    assert.equal(output.sizeBytes, Buffer.byteLength(whole));
    assert.equal(output.sha256, sha256Hex(whole));
    const binary = await runnerOf(async () => ({ output: new Uint8Array(100).fill(0x80) }), {}, 10).run(
      { tool: "t", input: {} },
      noWorkspace,
    );
    assert.equal(binary.output.bytes.byteLength, 10);
  });

  it("F18: keeps NUL and lone surrogates of an output, each told from the other", async () => {
    const high = await outcomeOf(async () => ({ output: "\0a\ud800b\u{1f600}" }));
    const low = await outcomeOf(async () => ({ output: "\0a\udc00b\u{1f600}" }));
    assert.equal(Buffer.from(high.output.bytes).toString("hex"), "0061eda08062f09f9880");
    assert.equal(Buffer.from(low.output.bytes).toString("hex"), "0061edb08062f09f9880");
    assert.notEqual(high.output.sha256, low.output.sha256);
  });

  const failures: readonly (readonly [string, () => unknown, string, RegExp])[] = [
    [
      "a refusal of its own",
      () => new ToolError({ code: "path_exists", message: "there" }),
      "path_exists",
      /^there$/,
    ],
    [
      "a rule of ours",
      () => new ValidationError({ field: "p", code: "path_refused", message: "m" }),
      "path_refused",
      /m/,
    ],
    ["any error", () => new Error("boom"), "tool_failed", /The tool "t" failed: boom$/],
    ["a text", () => "text", "tool_failed", /failed: text$/],
    ["null", () => null, "tool_failed", /failed: null$/],
    ["a symbol", () => Symbol("s"), "tool_failed", /Symbol\(s\)/],
    [
      "a value that cannot be shown",
      () => ({
        toString() {
          throw new Error("no");
        },
      }),
      "tool_failed",
      /cannot be shown/,
    ],
    ["a message with a lone surrogate", () => new Error("\ud800"), "tool_failed", /\ufffd$/],
  ];
  for (const [what, thrown, code, message] of failures) {
    it(`makes a failure of ${what} that a tool throws, without a stack`, async () => {
      const outcome = await outcomeOf(async () => {
        throw thrown();
      });
      assert.ok(outcome.status === "failed");
      assert.equal(outcome.failure.code, code);
      assert.match(outcome.failure.message, message);
      assert.doesNotMatch(JSON.stringify(outcome.failure), /\bat .*\.ts/);
    });
  }

  it("keeps what a tool gave out before it failed, bounds the message and drops details that are no JSON", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const outcome = await outcomeOf(async () => {
      throw new ToolError({
        code: "external_failed",
        message: "x".repeat(100_000),
        details: cyclic,
        output: "so far",
      });
    });
    assert.ok(outcome.status === "failed");
    assert.equal(Buffer.from(outcome.output.bytes).toString(), "so far");
    assert.ok(outcome.failure.message.length < 5000);
    assert.equal(outcome.failure.details, undefined);
  });

  it("makes a failure of a tool that returns no output", async () => {
    // @ts-expect-error a tool in JavaScript may
    const outcome = await outcomeOf(async () => undefined);
    assert.equal(outcome.status === "failed" && outcome.failure.code, "tool_failed");
  });

  it("throws a fault of the infrastructure again: it is no outcome", async () => {
    const fault = new InfrastructureError({ message: "throttled" });
    await assert.rejects(
      outcomeOf(async () => {
        throw fault;
      }),
      fault,
    );
    const conflict = new ConflictError({ code: "store_conflict", message: "c" });
    const outcome = await outcomeOf(async () => {
      throw conflict;
    });
    assert.equal(outcome.status, "failed");
  });

  it("ends a tool that takes too long, and tells it", async () => {
    let aborted = false;
    const outcome = await outcomeOf(
      (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
      { timeLimitMs: 5 },
    );
    assert.ok(outcome.status === "failed");
    assert.equal(outcome.failure.code, "tool_timed_out");
    assert.match(outcome.failure.message, /5 ms/);
    assert.ok(aborted);
  });

  it("leaves no timer behind when a tool ends in time", async () => {
    const active = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = active();
    await outcomeOf(async () => ({ output: "" }), { timeLimitMs: 900_000 });
    assert.equal(active(), before);
  });

  it("names the unknown tool and those there are", () => {
    const prepared = runnerOf(async () => ({ output: "" })).prepare({ tool: "nope", input: {} });
    assert.ok(prepared.status === "refused" && prepared.outcome.status === "failed");
    assert.equal(prepared.outcome.failure.code, "unknown_tool");
    assert.match(prepared.outcome.failure.message, /"nope"; known: t/);
  });

  it("hands a tool a copy of its input", async () => {
    const input = { a: "x" };
    await outcomeOf(
      async (given) => {
        Object.assign(given, { a: "changed" });
        return { output: "" };
      },
      {},
      input,
    );
    assert.deepEqual(input, { a: "x" });
  });

  const builtin = new ToolRunner({ registry: new ToolRegistry(builtinTools()) });
  const invalid: readonly (readonly [string, string, unknown, string, RegExp])[] = [
    ["a missing property", "write_file", { path: "a" }, "/content", /\/content .*is missing/],
    ["a wrong type", "write_file", { path: 1, content: "" }, "/path", /\/path .*must be string/],
    ["no coercion", "read_text_file", { path: "a", head: "1" }, "/head", /must be integer/],
    [
      "an unknown property",
      "write_file",
      { path: "a", content: "", contents: "" },
      "/contents",
      /allowed: path, content, encoding, resource/,
    ],
    ["an unknown value", "set_file_mode", { path: "a", mode: "777" }, "/mode", /allowed: "100644", "100755"/],
    [
      "a fault deep inside",
      "edit_file",
      { path: "a", edits: [{ oldText: "a", newText: "b" }, { oldText: "" }] },
      "/edits/1/newText",
      /missing/,
    ],
    [
      "an empty oldText",
      "edit_file",
      { path: "a", edits: [{ oldText: "", newText: "" }] },
      "/edits/0/oldText",
      /fewer than 1/,
    ],
    [
      "__proto__ at the top",
      "write_file",
      JSON.parse('{"path":"a","content":"","__proto__":{"x":1}}'),
      "/__proto__",
      /may have/,
    ],
    [
      "__proto__ deep inside",
      "edit_file",
      JSON.parse('{"path":"a","edits":[{"oldText":"a","newText":"b","__proto__":1}]}'),
      "/edits/0/__proto__",
      /may have/,
    ],
    [
      "an inherited property in place of its own",
      "write_file",
      Object.create({ path: "a", content: "" }),
      "/path",
      /missing/,
    ],
    ["no object", "write_file", [], "", /must be an object/],
    ["null", "write_file", null, "", /must be an object/],
    ["a function", "write_file", { path: () => 1, content: "" }, "", /plain JSON/],
    [
      "a resource that is no text",
      "write_file",
      { path: "a", content: "", resource: 1 },
      "/resource",
      /must be string/,
    ],
  ];
  for (const [what, tool, input, field, message] of invalid) {
    it(`refuses an input with ${what}, naming the place`, () => {
      // @ts-expect-error input from outside may be anything
      const prepared = builtin.prepare({ tool, input });
      assert.ok(prepared.status === "refused" && prepared.outcome.status === "failed");
      const { failure } = prepared.outcome;
      assert.equal(failure.code, "input_invalid");
      assert.match(failure.message, message);
      assert.equal(failure.details?.field, field);
    });
  }

  it("takes the resource off an input whose tool does not declare it, and leaves it to one that does", async () => {
    const seen: unknown[] = [];
    const run: Tool["run"] = async (input) => {
      seen.push(input);
      return { output: "" };
    };
    const without = runnerOf(run).prepare({ tool: "t", input: { a: "x", resource: "app" } });
    assert.ok(without.status === "ready");
    assert.equal(without.resource, "app");
    await without.run(noWorkspace);
    const inputSchema = { type: "object", properties: { resource: { type: "object" } } };
    const own = runnerOf(run, { inputSchema }).prepare({ tool: "t", input: { resource: {} } });
    assert.ok(own.status === "ready");
    assert.equal(own.resource, undefined);
    await own.run(noWorkspace);
    assert.deepEqual(seen, [{ a: "x" }, { resource: {} }]);
  });

  it("pollutes no prototype whatever the input", () => {
    builtin.prepare({
      tool: "write_file",
      input: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    });
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });
});
