import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { allowedHosts } from "./allowed-hosts.ts";
import { guardedClient } from "./guarded-client.ts";

/** Asks a server that answers every request with these bytes and keeps the connection open. */
const asked = async (t: TestContext, answer: string) => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.write(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  const client = guardedClient({
    allowedHosts: allowedHosts([`127.0.0.1:${port}`]),
    resolve: async () => [],
  });
  t.after(() => {
    client.close();
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { signal } = new AbortController();
  const url = new URL(`http://127.0.0.1:${port}/`);
  return client.request({ url, method: "GET", headers: {}, signal });
};

test("a server that goes on in another protocol is an error, and not an answer that never comes", {
  timeout: 10_000,
}, async (t) => {
  const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello";
  await assert.rejects(asked(t, switching), { code: "EPROTO" });
});

test("what comes before an answer is passed over", async (t) => {
  const { status } = await asked(
    t,
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\n\r\n",
  );
  assert.equal(status, 204);
});
