import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "yaml";
import { parsePlanDocument } from "#lib/plan/parse-plan-document.ts";
import { actionDefinitionOfItem } from "#lib/resource/action-definition.ts";
import { planFromAction } from "#lib/resource/plan-from-action.ts";
import { externalResponseBytes, externalTimeLimitMs } from "#lib/tools/external/tool-definition.ts";
import { toolDefinitionOfItem } from "#lib/tools/external/tool-item.ts";

const page = readFile(new URL("../docs/reference/external-tools.md", import.meta.url), "utf8");
const example = async (file: string): Promise<unknown> => {
  const blocks = [...(await page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  return parse(blocks.find((text) => text.startsWith(`# ${file}`)) ?? "");
};

test("the page's tool is a tool, and its action makes a plan", async () => {
  assert.equal(toolDefinitionOfItem(await example("tools/charge.yaml")).run.kind, "http");
  const action = actionDefinitionOfItem(await example("actions/rename.yaml"));
  const plan = parsePlanDocument(planFromAction({ action, args: { from: "a.txt", to: "b.txt" } }));
  assert.equal(plan.name, "rename a.txt");
  assert.equal(plan.decisions[0]?.rationale, "no reason given");
});

test("the page's limits are the limits", async () => {
  const text = await page;
  const digits = (value: number) => value.toLocaleString("en-US");
  const { standard, maximum } = externalTimeLimitMs;
  assert.ok(text.includes(`| ${digits(standard)} unless given, at most ${digits(maximum)} |`));
  const mebibytes = (value: number) => `${value / 1024 / 1024} MiB`;
  assert.ok(
    text.includes(
      `| ${mebibytes(externalResponseBytes.standard)} unless given, at most ${mebibytes(externalResponseBytes.maximum)} |`,
    ),
  );
});
