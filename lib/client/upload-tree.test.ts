import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { missingRequest, packRequest, uploadRequest } from "../api/content-requests.ts";
import { directoryFrom } from "../api/directory-wire.ts";
import { checkDirectory } from "../tree/check-directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { stubService } from "./stub-service.testkit.ts";
import { type SourceFile, uploadTree } from "./upload-tree.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A store behind the wire, strict about order: nothing may be named before it is there. */
async function contentService() {
  const contents = new Set<string>();
  const directories = new Set<string>([emptyTree.sha256]);
  const packBytes: number[] = [];
  const missingSizes: number[] = [];
  let url = "";
  const service = await stubService(({ method, url: path, body }) => {
    if (path === "/v1/content/missing") {
      const asked = missingRequest.parse(JSON.parse(body));
      missingSizes.push(asked.contents.length + asked.directories.length);
      return {
        status: 200,
        json: {
          contents: asked.contents.filter((hash) => !contents.has(hash)),
          directories: asked.directories.filter((hash) => !directories.has(hash)),
        },
      };
    }
    if (path === "/v1/content/packs") {
      packBytes.push(body.length);
      const pack = packRequest.parse(JSON.parse(body));
      const hashes = pack.contents.map((text) => sha256(Buffer.from(text, "base64")));
      for (const hash of hashes) contents.add(hash);
      const refs = pack.directories.map((wire) => {
        const directory = directoryFrom(wire);
        checkDirectory(directory);
        for (const entry of wire.entries) {
          const known = entry.kind === "file" ? contents : directories;
          assert.ok(known.has(entry.sha256), `${entry.name} is named before it is there`);
        }
        const { sha256: hash } = directoryRef(directory);
        directories.add(hash);
        return hash;
      });
      return { status: 200, json: { contents: hashes, directories: refs } };
    }
    if (path === "/v1/content/uploads") {
      const asked = uploadRequest.parse(JSON.parse(body));
      const json = {
        url: `${url}/staged/${asked.sha256}`,
        headers: { "x-sum": asked.sha256 },
        expiresAt: "soon",
      };
      return { status: 200, json };
    }
    if (method === "PUT" && path.startsWith("/staged/")) {
      contents.add(path.slice("/staged/".length));
      return { status: 200 };
    }
    return { status: 404 };
  });
  url = service.url;
  return { ...service, contents, directories, packBytes, missingSizes };
}

const file = (path: string, text: string | Uint8Array, mode: SourceFile["mode"] = "100644"): SourceFile => ({
  path,
  mode,
  read: async () => Buffer.from(text),
});

test("a tree goes up once, and again only what changed", async () => {
  const service = await contentService();
  await using _ = service;
  const files = [
    file("a.txt", "a"),
    file("src/deep/x.ts", "x"),
    file("src/deep/same.ts", "a"),
    file("run.sh", "#!/bin/sh\n", "100755"),
    file("link", "a.txt", "120000"),
  ];
  const first = await uploadTree({ client: service.client(), files });
  // `a` and `x`, the script, and the link's target.
  assert.deepEqual(
    { contents: first.sentContents, directories: first.sentDirectories, files: first.fileCount },
    { contents: 4, directories: 3, files: 5 },
  );
  assert.ok(service.directories.has(first.tree));

  const questions = service.missingSizes.length;
  const again = await uploadTree({ client: service.client(), files });
  assert.deepEqual([again.sentContents, again.sentDirectories, again.tree], [0, 0, first.tree]);
  assert.deepEqual(
    service.missingSizes.slice(questions),
    [1],
    "an unchanged tree costs one question of one hash",
  );

  const changed = await uploadTree({
    client: service.client(),
    files: [...files.slice(1), file("a.txt", "other")],
  });
  assert.deepEqual([changed.sentContents, changed.sentDirectories], [1, 1]);
  assert.notEqual(changed.tree, first.tree);
});

test("an empty tree needs nothing but its name", async () => {
  const service = await contentService();
  await using _ = service;
  const { tree, sentDirectories } = await uploadTree({ client: service.client(), files: [] });
  assert.deepEqual([tree, sentDirectories], [emptyTree.sha256, 0]);
});

test("many files ask in batches and go in packs below 4 MiB; a big one by its own URL without the token", async () => {
  const service = await contentService();
  await using _ = service;
  const big = Buffer.alloc(3_500_000, 7);
  const files = [
    ...Array.from({ length: 6_000 }, (_, index) => file(`d${index % 40}/f${index}`, `${index}`)),
    ...Array.from({ length: 8 }, (_, index) => file(`m${index}`, Buffer.alloc(900_000, index))),
    file("big", big),
  ];
  const uploaded = await uploadTree({ client: service.client(), files });
  assert.equal(uploaded.sentContents, 6_009);
  assert.ok(service.contents.has(sha256(big)));
  assert.ok(service.packBytes.length >= 4);
  assert.ok(Math.max(...service.packBytes) <= 4 * 1024 * 1024);
  assert.ok(Math.max(...service.missingSizes) <= 5_000);
  const put = service.seen.find(({ method }) => method === "PUT");
  assert.equal(put?.headers["x-sum"], sha256(big));
  assert.equal(put?.headers.authorization, undefined);
});

test("an upload that was killed in the middle goes on where it stopped (F26's kind)", async () => {
  const service = await contentService();
  await using _ = service;
  const files = Array.from({ length: 9 }, (_, index) => file(`f${index}`, Buffer.alloc(1_500_000, index)));
  const client = service.client();
  const answered: Promise<unknown>[] = [];
  const killed: Pick<typeof client, "content"> = {
    content: {
      ...client.content,
      async sendPack(pack) {
        if (answered.length >= 2) {
          await Promise.all(answered);
          throw new Error("killed");
        }
        const answer = client.content.sendPack(pack);
        answered.push(answer);
        return answer;
      },
    },
  };
  await assert.rejects(uploadTree({ client: killed, files }), /killed/);
  const before = service.contents.size;
  assert.ok(before >= 2 && before < 9, `${before} were sent`);
  const { sentContents } = await uploadTree({ client: service.client(), files });
  assert.equal(sentContents, 9 - before);
});

test("files that a new tree shares with what is there are not sent, however many there are", async () => {
  const service = await contentService();
  await using _ = service;
  const shared = Array.from({ length: 6_000 }, (_, index) => file(`old/f${index}`, `${index}`));
  await uploadTree({ client: service.client(), files: shared });
  const moved = shared.map((one, index) => ({ ...one, path: `new/${index % 3}/f${index}` }));
  const questions = service.missingSizes.length;
  const { sentContents, sentDirectories } = await uploadTree({ client: service.client(), files: moved });
  assert.deepEqual([sentContents, sentDirectories], [0, 5]);
  const asked = service.missingSizes.slice(questions);
  assert.ok(Math.max(...asked) <= 5_000 && asked.reduce((sum, size) => sum + size, 0) >= 6_000, `${asked}`);
});

test("a file that changes between hashing and sending, one too large, and a bad path are refused by name", async () => {
  const service = await contentService();
  await using _ = service;
  const client = service.client();
  let reads = 0;
  const moving: SourceFile = {
    path: "log",
    mode: "100644",
    read: async () => Buffer.from(`${reads++}`),
  };
  await assert.rejects(uploadTree({ client, files: [moving] }), {
    code: "content_mismatch",
    message: /"log"/,
  });
  const huge = file("huge", Buffer.alloc(16 * 1024 * 1024 + 1));
  await assert.rejects(uploadTree({ client, files: [huge] }), { code: "file_too_large", message: /"huge"/ });
  await assert.rejects(uploadTree({ client, files: [file("a/.GIT/x", "")] }), { code: "path_refused" });
  await assert.rejects(uploadTree({ client, files: [file("a", ""), file("a/b", "")] }), {
    code: "validation_failed",
  });
});
