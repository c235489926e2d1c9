import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Command } from "commander";
import { planledgerProgram } from "#cli/program.ts";
import { scopes } from "#lib/access/token-store.ts";
import { httpStatusOf } from "#lib/api/http-status.ts";
import { routes } from "#lib/api/routes.ts";
import { errorCodes } from "#lib/errors/error-code.ts";
import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { pathRefusal } from "#lib/tree/path-rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = (name: string) => readFile(join(root, "docs", "reference", name), "utf8");

/** What stands under a heading, up to the next of the same level or above. */
function section(text: string, heading: string): string {
  const level = heading.length - heading.replace(/^#+/, "").length;
  const from = text.indexOf(`\n${heading}\n`);
  assert.notEqual(from, -1, `the page has no heading "${heading}"`);
  const below = text.slice(from + heading.length + 2);
  const next = below.search(new RegExp(`^#{1,${level}} `, "m"));
  return next === -1 ? below : below.slice(0, next);
}

/** Cells of every table row whose first cell is code, without the backticks of the first. */
function rows(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("| `")) return [];
    const cells = line.slice(1, -1).split(" | ");
    return [cells.map((cell, index) => (index === 0 ? cell.trim().replaceAll("`", "") : cell.trim()))];
  });
}

/** Sections below headings that are code alone, by that code: "### `write_file`". */
function codeSections(text: string): ReadonlyMap<string, string> {
  const headings = [...text.matchAll(/^### `(.+)`$/gm)].map(([line, code]) => ({ line, code: code ?? "" }));
  return new Map(headings.map(({ line, code }) => [code, section(text, line)]));
}

/** Says line by line what a page lacks, and what it has that the code has not. */
function assertSameLines(actual: readonly string[], expected: readonly string[], where: string): void {
  const lacking = expected.filter((line) => !actual.includes(line));
  const superfluous = actual.filter((line) => !expected.includes(line));
  const twice = actual.filter((line, index) => actual.indexOf(line) !== index);
  assert.deepEqual(
    { lacking, superfluous, twice },
    { lacking: [], superfluous: [], twice: [] },
    `${where}\n${[
      ...lacking.map((line) => `  lacks: ${line}`),
      ...superfluous.map((line) => `  is wrong or out of date: ${line}`),
      ...twice.map((line) => `  stands twice: ${line}`),
    ].join("\n")}`,
  );
}

test("http-api.md lists every route with its scope and answers, and no other", async () => {
  const listed = rows(section(await page("http-api.md"), "## Routes"));
  assertSameLines(
    listed.map(([route, scope = "", answers]) => `${route} | ${scope.replaceAll("`", "")} | ${answers}`),
    routes.map(
      ({ method, path, scope, replies }) =>
        `${method} ${path} | ${scope} | ${Object.keys(replies).join(", ")}`,
    ),
    "The table under Routes (route | scope | answers)",
  );
});

test("http-api.md lists every error code with its status, and every scope", async () => {
  const text = await page("http-api.md");
  assertSameLines(
    rows(section(text, "### Codes")).map(([code, status]) => `${code} | ${status}`),
    errorCodes.map((code) => `${code} | ${httpStatusOf(code)}`),
    "The table under Codes (code | status)",
  );
  assertSameLines(
    rows(section(text, "## Tokens")).map(([scope]) => String(scope)),
    scopes,
    "The table under Tokens",
  );
});

test("tools.md describes every built-in tool: effect, fields, which are required, known error codes", async () => {
  const described = codeSections(section(await page("tools.md"), "## Built-in tools"));
  const tools = builtinTools();
  assertSameLines(
    [...described.keys()],
    tools.map(({ name }) => name),
    "The headings under Built-in tools",
  );
  for (const { name, effect, inputSchema } of tools) {
    const text = described.get(name) ?? "";
    assert.ok(text.replaceAll("\n", " ").includes(` Effect: ${effect}.`), `${name} has the effect ${effect}`);
    const { properties, required } = inputSchema;
    assert.ok(typeof properties === "object" && properties !== null && Array.isArray(required));
    assert.ok("resource" in properties, `${name} takes a resource, as the page says of all`);
    assertSameLines(
      rows(text).map(([field, , needed]) => `${field} | ${needed}`),
      Object.keys(properties)
        .filter((field) => field !== "resource")
        .map((field) => `${field} | ${required.includes(field) ? "yes" : "no"}`),
      `The input of ${name} (field | required)`,
    );
    const errors = text.slice(text.indexOf("\nErrors: ")).match(/`[a-z]+_[a-z_]+`/g) ?? [];
    const known: readonly string[] = errorCodes;
    const names = errors.map((code) => code.slice(1, -1)).filter((code) => !isToolName(code));
    assert.deepEqual(
      names.filter((code) => !known.includes(code)),
      [],
      `${name} names errors that there are`,
    );
    assert.ok(names.length > 0, `${name} says its errors`);
  }
});

const isToolName = (text: string): boolean => builtinTools().some(({ name }) => name === text);

test("tools.md tells refused paths by the reason that the code gives", async () => {
  const examples: readonly (readonly [string, string])[] = [
    ["a//b", "empty_segment"],
    ["dir/", "empty_segment"],
    ["../x", "dot_segment"],
    ["./x", "dot_segment"],
    ["/x", "absolute"],
    ["a\\b", "backslash"],
    ["a/C:x", "drive_letter"],
    ["git~1", "git_directory"],
    [".git::$INDEX_ALLOCATION", "git_directory"],
  ];
  const text = section(await page("tools.md"), "## Paths that are refused");
  for (const [path, reason] of examples) {
    assert.equal(pathRefusal(path), reason);
    const row = text.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${path}\``));
    assert.ok(row?.split(" | ")[0]?.includes(`\`${reason}\``), `${path} stands beside ${reason}`);
  }
});

test("the tool of one's own in tools.md runs and prints what the page says", async () => {
  const text = section(await page("tools.md"), "## A tool of your own");
  const source = /```ts run\n(.*?)```/s.exec(text)?.[1];
  const output = /```text\n(.*?)```/s.exec(text)?.[1];
  assert.ok(source !== undefined && output !== undefined);
  assert.ok(source.includes('from "planledger"'));
  const directory = await mkdtemp(join(tmpdir(), "planledger-snippet-"));
  try {
    const file = join(directory, "snippet.ts");
    const library = pathToFileURL(join(root, "lib", "index.ts")).href;
    await writeFile(file, source.replace('from "planledger"', `from ${JSON.stringify(library)}`));
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    const ran = spawnSync(process.execPath, [file], { encoding: "utf8" });
    assert.deepEqual({ stdout: ran.stdout, stderr: ran.stderr }, { stdout: output, stderr: "" });
  } finally {
    await rm(directory, { recursive: true });
  }
});

const commandLine = (): Command =>
  planledgerProgram({
    env: {},
    cwd: root,
    stdin: Readable.from([]),
    stdout: { write: () => true },
    stderr: { write: () => true },
    signal: new AbortController().signal,
    version: "0",
    exitCode: 0,
  });

interface Leaf {
  readonly usage: string;
  readonly options: readonly string[];
}

/** Every command that does something, as the headings of cli.md write it: `planledger plan explain ID DECISION`. */
function leaves(command: Command, above: readonly string[] = []): readonly Leaf[] {
  const words = [...above, command.name()];
  const below = command.commands.flatMap((child) => leaves(child, words));
  // A command with commands below it may do something itself; then it prints something, too.
  if (below.length > 0 && !command.options.some(({ flags }) => flags === "--json")) return below;
  const named = command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? "..." : ""}`;
    return argument.required ? name : `[${name}]`;
  });
  const options = command.options.map(({ flags }) => flags);
  return [{ usage: [...words, ...named].join(" "), options }, ...below];
}

test("cli.md describes every command with its arguments and options, and no other; all have --json", async () => {
  const described = codeSections(section(await page("cli.md"), "## Commands"));
  const commands = leaves(commandLine());
  for (const { usage, options } of commands) {
    assert.ok(options.includes("--json"), `${usage} has --json, as the page says of all`);
  }
  const flagsOf = (text: string) => rows(text).flatMap(([cell = ""]) => (cell.startsWith("-") ? [cell] : []));
  assertSameLines(
    [...described].flatMap(([usage, text]) => [
      usage,
      ...flagsOf(text).map((flags) => `${usage} | ${flags}`),
    ]),
    commands.flatMap(({ usage, options }) => [
      usage,
      ...options.filter((flags) => flags !== "--json").map((flags) => `${usage} | ${flags}`),
    ]),
    "The headings under Commands, and below each its options",
  );
});

/** As GitHub makes anchors of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

test("links in README and docs lead to files and headings that are there", async () => {
  const files = ["README.md", "examples/README.md"];
  for await (const file of glob("docs/**/*.md", { cwd: root })) files.push(file);
  const broken: string[] = [];
  for (const file of files) {
    const text = (await readFile(join(root, file), "utf8")).replace(/```.*?```/gs, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const to = path === "" ? join(root, file) : resolve(root, dirname(file), path);
      const found = await stat(to).catch(() => undefined);
      const headings = found?.isFile() === true ? (await readFile(to, "utf8")).match(/^#+ .*$/gm) : [];
      const anchors = (headings ?? []).map((heading) => anchorOf(heading.replace(/^#+ /, "")));
      if (found === undefined || (anchor !== undefined && !anchors.includes(anchor))) {
        broken.push(`${file}: ${target}`);
      }
    }
  }
  assert.deepEqual(broken, []);
});
