// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";

let service: EmbeddedService;
let dir: Scratch;

const rename = {
  description: "Renames a file, and notes it some times.",
  arguments: {
    type: "object",
    properties: {
      from: { type: "string" },
      to: { type: "string" },
      notes: { type: "array", items: { type: "string" }, default: [] },
      head: { type: "integer", default: 1 },
    },
    required: ["from", "to"],
    additionalProperties: false,
  },
  plan: {
    name: "rename ${{ args.from }}",
    decisions: [
      {
        id: "look",
        toolCalls: [
          { tool: "read_text_file", input: { path: "${{ args.from }}", head: "${{ args.head }}" } },
        ],
      },
      {
        id: "move",
        rationale: "notes: ${{ args.notes }}",
        toolCalls: [
          { tool: "move_file", input: { source: "${{ args.from }}", destination: "${{ args.to }}" } },
        ],
      },
    ],
  },
};

before(async () => {
  service = await startEmbeddedService({ port: 0 });
  dir = await scratch();
  await dir.put({ "project/a.txt": "one\ntwo\n" });
  const answer = await fetch(`${service.url}/v1/actions/local/rename`, {
    method: "PUT",
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    body: JSON.stringify(rename),
  });
  assert.equal(answer.status, 201, await answer.text());
});
after(async () => {
  await service?.stop();
  await dir?.[Symbol.asyncDispose]();
});

const run = (...args: readonly string[]) =>
  planledger(args, {
    cwd: dir.path,
    env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token },
  });
const action = (...more: readonly string[]) => run("plan", "execute", "--action", "local/rename", ...more);

test("an action is executed with typed arguments on a directory, watched, and the same again is the same plan", async () => {
  const order = [
    ...[
      "--arg",
      "from=a.txt",
      "--arg",
      "to=b=c.txt",
      "--arg",
      "notes=x",
      "--arg",
      "notes=y",
      "--arg",
      "head=2",
    ],
    ...["--project", join(dir.path, "project"), "--id", "renaming"],
  ];
  const executed = await action(...order, "--watch");
  assert.equal(executed.exitCode, 0, executed.stderr);
  assert.match(executed.stdout, /rename a\.txt {2}completed/);
  const diff = await run("plan", "diff", "renaming");
  assert.match(diff.stdout, /rename from a\.txt\nrename to b=c\.txt/);
  const explained = await run("plan", "explain", "renaming", "move");
  assert.match(explained.stdout, /notes: \["x","y"\]/);
  assert.equal((await action(...order)).exitCode, 0);
  const other = await action(...order, "--arg", "notes=z");
  assert.equal(other.exitCode, 1);
  assert.match(other.stderr, /another document/);
});

test("what is wrong with an action's command line is said, with exit code 2", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--arg", "from=a.txt", "--arg", "to"], /NAME=VALUE/],
    [["--arg", "from=a.txt", "--arg", "too=b.txt"], /too is no argument.*from, to, notes, head/],
    [["--arg", "from=a", "--arg", "to=b", "--arg", "head=many"], /head is "many".*integer/],
    [["--arg", "from=a", "--arg", "from=b", "--arg", "to=b"], /from is given more than once/],
    [["plan.yaml", "--arg", "from=a"], /not both/],
    [["--arg", "from=a.txt"], /The argument \/to of the action "local\/rename" is missing/],
    [["--arg", "from=a", "--arg", "to=b", "--project", "absent"], /error: absent is not a directory/],
  ];
  for (const [args, reason] of cases) {
    const ran = await action(...args);
    assert.equal(ran.exitCode, 2, ran.stderr);
    assert.match(ran.stderr, reason);
  }
  const bare = await run("plan", "execute");
  assert.equal(bare.exitCode, 2);
  assert.match(bare.stderr, /a plan file, or --action/);
  const fileAndArguments = await run("plan", "execute", "plan.yaml", "--arg", "a=b");
  assert.equal(fileAndArguments.exitCode, 2);
});

test("an action that is not there is a failure of the work; what is no action's id is wrong usage", async () => {
  const unknown = await run("plan", "execute", "--action", "local/none");
  assert.equal(unknown.exitCode, 1);
  assert.match(unknown.stderr, /no action "local\/none"/);
  const noId = await run("plan", "execute", "--action", "inj");
  assert.equal(noId.exitCode, 2);
  assert.match(noId.stderr, /--action "inj" is no action's id.*namespace\/name/);
  assert.doesNotMatch(noId.stderr, /operations/);
});

test("dev refuses what is no host for tools", async () => {
  const refused = await run("dev", "--allow-host", "http://x");
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /HOST or HOST:PORT/);
});
