import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import { allowedHosts } from "../outbound/allowed-hosts.ts";
import { guardedClient } from "../outbound/guarded-client.ts";
import { type Outside, outsideServer } from "../tools/external/outside.testkit.ts";
import { catalogueAccess } from "./catalogue-access.ts";

let own: Outside;
let other: Outside;
const outbound = () => ({
  allowedHosts: allowedHosts([`127.0.0.1:${own.port}`, `127.0.0.1:${other.port}`]),
  resolve: async () => [],
});

before(async () => {
  own = await outsideServer(({ url, headers }, response) => {
    if (url.startsWith("/moved"))
      return void response.writeHead(302, { location: "https://example.org/" }).end();
    if (url === "/broken") return void response.writeHead(500).end("x".repeat(100));
    if (url === "/none") return void response.writeHead(404).end();
    if (url === "/cut") {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half");
      return void response.destroy();
    }
    if (headers["if-none-match"] === '"1"' && url === "/etag") return void response.writeHead(304).end();
    if (url === "/odd") return void response.writeHead(200, { etag: "not quoted" }).end("odd");
    if (url === "/unasked") return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"1"' });
    response.end("0123456789");
  });
  other = await outsideServer();
});
after(async () => {
  await own[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

function access(signal = new AbortController().signal) {
  let requests = 0;
  const opened = catalogueAccess({
    client: guardedClient(outbound()),
    allowedHosts: outbound().allowedHosts,
    catalogue: new URL(`${own.url}/catalogue.json`),
    token: "tok-12345678",
    signal,
    onRequest: () => {
      requests += 1;
    },
  });
  return { ...opened, requests: () => requests };
}
const at = (path: string, server = own) => new URL(path, server.url);

test("the token goes to the catalogue's own server, and to no other", async () => {
  const { get, requests } = access();
  await get(at("/catalogue.json"), { limitBytes: 100 });
  await get(at("/document.json", other), { limitBytes: 100 });
  assert.equal(own.received.at(-1)?.headers.authorization, "Bearer tok-12345678");
  assert.equal(other.received.at(-1)?.headers.authorization, undefined);
  assert.equal(requests(), 2);
});

test("an ETag is sent back as it came, and one that is none is not kept", async () => {
  const { get } = access();
  const found = await get(at("/etag"), { limitBytes: 100 });
  assert.ok(found.status === "found" && found.etag === '"1"');
  assert.deepEqual(await get(at("/etag"), { limitBytes: 100, etag: found.etag }), { status: "unchanged" });
  const odd = await get(at("/odd"), { limitBytes: 100 });
  assert.ok(odd.status === "found" && odd.etag === undefined);
  // Which is no redirect, and nothing to be taken either.
  await assert.rejects(get(at("/unasked"), { limitBytes: 100 }), { code: "external_failed" });
});

test("what is too large is broken off, a redirect is not followed, and the address is told without its query", async () => {
  const { get } = access();
  await assert.rejects(get(at("/large"), { limitBytes: 9 }), { code: "output_too_large" });
  assert.ok((await get(at("/large"), { limitBytes: 10 })).status === "found");
  const moved = get(at("/moved?key=secret"), { limitBytes: 9 });
  await assert.rejects(moved, (error) => {
    assert.ok(error instanceof PlanledgerError && error.code === "redirect_refused");
    assert.match(error.message, /\/moved answered 302 .*https:\/\/example\.org\//);
    return !error.message.includes("key=secret");
  });
});

test("what may be different later is told apart from what is not", async () => {
  const { get } = access();
  await assert.rejects(get(at("/broken"), { limitBytes: 9 }), InfrastructureError);
  await assert.rejects(get(at("/cut"), { limitBytes: 9999 }), InfrastructureError);
  await assert.rejects(get(at("/none"), { limitBytes: 9 }), (error) => {
    return (
      error instanceof PlanledgerError &&
      !(error instanceof InfrastructureError) &&
      error.code === "external_failed"
    );
  });
});

test("plain http goes to allowed hosts alone, and an end of the run is what is thrown", async () => {
  const { get, requests } = access();
  await assert.rejects(get(new URL("http://example.org/"), { limitBytes: 9 }), { code: "address_refused" });
  await assert.rejects(get(new URL("ftp://127.0.0.1/"), { limitBytes: 9 }), { code: "address_refused" });
  assert.equal(requests(), 0);
  const ending = new AbortController();
  const over = new Error("over");
  ending.abort(over);
  await assert.rejects(access(ending.signal).get(at("/x"), { limitBytes: 9 }), over);
});
