import assert from "node:assert/strict";
import type { Caller } from "#lib/access/caller.ts";
import { contentState } from "#lib/content/content-state.ts";
import { buildTree } from "#lib/tree/build-tree.ts";
import { walkTree } from "#lib/tree/walk-tree.ts";
import { inMemoryService, type MemoryAnswer, owner } from "../in-memory-service.testkit.ts";

/** What a test reads of a JSON answer, without a schema: the handlers hold their replies to those already. */
export const fields = (value: unknown): Record<string, unknown> => ({ ...Object(value) });
export const text = (value: unknown): string => {
  assert.equal(typeof value, "string");
  return String(value);
};

export const bob: Caller = { ...owner, principal: "bob" };

export const call = (tool: string, input: object) => ({ tool, input });
export const writes = (path: string, content: string) => call("write_file", { path, content });

/** A plan on the project `local/app`, a decision for each list of calls: d1, d2, … */
export const planOn = (
  decisions: readonly (readonly object[])[],
  fields: Readonly<Record<string, unknown>> = {},
) => ({
  projectResources: { app: { project: "local/app" } },
  decisions: decisions.map((toolCalls, index) => ({ id: `d${index + 1}`, toolCalls })),
  ...fields,
});

export type ApplyScene = ReturnType<typeof applyScene>;

/** A service in memory, and what tests of apply do with it. */
export const applyScene = (service = inMemoryService()) => {
  const stores = service.ports.storesOf(owner.tenant);

  const treeOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const bytes = Object.values(files).map((content) => Buffer.from(content));
    await stores.content.put(bytes);
    const entries = Object.entries(files).map(
      ([path, content]) => ({ path, file: contentState(Buffer.from(content), "100644") }) as const,
    );
    return (await buildTree(stores.trees, entries)).sha256;
  };

  const scene = {
    ...service,
    service,
    treeOf,
    async putProject(files: Readonly<Record<string, string>>, settings: Record<string, unknown> = {}) {
      const tree = await treeOf(files);
      const answer = await service.send("/v1/projects/local/app", {
        method: "PUT",
        body: { tree, settings },
      });
      assert.ok(answer.status < 300, answer.bytes.toString());
      return fields(answer.json());
    },
    async project() {
      return fields((await service.send("/v1/projects/local/app")).json());
    },
    /** Every revision, newest first. */
    async revisions(): Promise<readonly Record<string, unknown>[]> {
      const answer = await service.send("/v1/projects/local/app/revisions?limit=100");
      const { revisions } = fields(answer.json());
      assert.ok(Array.isArray(revisions));
      return revisions.map(fields);
    },
    async status(planId = "p1") {
      return fields((await service.send(`/v1/plans/${planId}`)).json());
    },
    /** Submits a plan and runs it to its end; its digest. */
    async ran(plan: object, planId = "p1"): Promise<string> {
      const answer = await service.send(`/v1/plans/${planId}/execute`, { body: plan });
      assert.equal(answer.status, 202, answer.bytes.toString());
      await service.drain();
      return text((await scene.status(planId)).digest);
    },
    apply: (digest: string, more: object = {}, planId = "p1"): Promise<MemoryAnswer> =>
      service.send(`/v1/plans/${planId}/apply`, { body: { digest, ...more } }),
    judge: (verdict: "approve" | "reject", digest: string, caller: Caller): Promise<MemoryAnswer> =>
      service.send(`/v1/plans/p1/${verdict}`, { body: { digest }, caller }),
    derive: (body: object): Promise<MemoryAnswer> => service.send("/v1/plans/p1/changesets", { body }),
    /** Every file of a tree, by its path. */
    async filesOf(tree: string): Promise<Readonly<Record<string, string>>> {
      const files: Record<string, string> = {};
      for await (const { path, file } of walkTree(stores.trees, tree)) {
        files[path] = Buffer.from((await stores.content.get(file.sha256)) ?? []).toString();
      }
      return files;
    },
    /** Content of a file of the project, as it is now. */
    async file(path: string): Promise<string | undefined> {
      return (await scene.filesOf(text((await scene.project()).tree)))[path];
    },
  };
  return scene;
};

/** That an answer is this refusal; its details. */
export const refused = (answer: MemoryAnswer, code: string, status = 409): Record<string, unknown> => {
  const problem = fields(answer.json());
  assert.deepEqual([answer.status, problem.code], [status, code], answer.bytes.toString());
  return fields(problem.details);
};
