import assert from "node:assert/strict";
import { createServer, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import type { AddressTarget, Connect } from "./connect-to-address.ts";
import { guardedClient } from "./guarded-client.ts";
import { guardedConnect } from "./guarded-connect.ts";
import type { OutboundPorts } from "./outbound-ports.ts";

const { signal } = new AbortController();

/** The socket, or what was thrown. */
const connecting = (ports: OutboundPorts, url: string, connect?: Connect): Promise<unknown> =>
  guardedConnect(ports, { url: new URL(url), signal }, connect).catch((error: unknown) => error);

/** Connects nowhere; keeps where it was to connect to. */
const recorder = (fails: (address: string) => boolean = () => false) => {
  const targets: AddressTarget[] = [];
  const connect: Connect = async (target) => {
    targets.push(target);
    if (fails(target.address)) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    return new Socket();
  };
  return { targets, connect };
};

const resolvingTo = (...addresses: string[]): OutboundPorts => ({
  allowedHosts: allowedHosts([]),
  resolve: async () => addresses,
});

const codeOf = (error: unknown) => (error instanceof PlanledgerError ? error.code : error);

test("a name is resolved once, and what is connected to is the address that was checked (DNS rebinding)", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["169.254.169.254"]];
  let asked = 0;
  const { targets, connect } = recorder();
  const ports: OutboundPorts = {
    allowedHosts: allowedHosts([]),
    async resolve() {
      asked += 1;
      return answers[asked - 1] ?? [];
    },
  };
  assert.ok((await connecting(ports, "https://rebind.test/", connect)) instanceof Socket);
  assert.equal(asked, 1);
  assert.deepEqual(targets, [{ address: "93.184.215.14", port: 443, tlsName: "rebind.test" }]);
  // The next connection is checked anew.
  assert.equal(codeOf(await connecting(ports, "https://rebind.test/", connect)), "address_refused");
  assert.equal(targets.length, 1);
});

test("a name with one address that is refused is refused as a whole, wherever that stands", async () => {
  for (const addresses of [
    ["8.8.8.8", "10.0.0.1"],
    ["10.0.0.1", "8.8.8.8"],
    ["2606:4700::1111", "::ffff:10.0.0.1"],
    // What is no address would be looked up once more by whoever connects.
    ["localhost"],
    ["134744072"],
  ]) {
    const { targets, connect } = recorder();
    const error = await connecting(resolvingTo(...addresses), "http://mixed.test/", connect);
    assert.equal(codeOf(error), "address_refused");
    assert.deepEqual(targets, []);
  }
});

test("the next address is tried when one does not answer; when none does, the error says so", async () => {
  const ports = resolvingTo("8.8.4.4", "8.8.8.8");
  const first = recorder((address) => address === "8.8.4.4");
  assert.ok((await connecting(ports, "http://two.test/", first.connect)) instanceof Socket);
  assert.deepEqual(
    first.targets.map(({ address, tlsName }) => [address, tlsName]),
    [
      ["8.8.4.4", undefined],
      ["8.8.8.8", undefined],
    ],
  );
  const error = await connecting(ports, "http://two.test/", recorder(() => true).connect);
  assert.equal(codeOf(error), "external_failed");
  assert.match(String(error), /two\.test:80.*ECONNREFUSED.*nothing was sent/);
});

test("a name without an address, and a name server that fails, are named", async () => {
  const { connect } = recorder();
  assert.match(String(await connecting(resolvingTo(), "http://no.test/", connect)), /no\.test has no/);
  const failing: OutboundPorts = {
    allowedHosts: allowedHosts([]),
    resolve: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })),
  };
  assert.match(String(await connecting(failing, "http://no.test/", connect)), /ENOTFOUND/);
});

test("the operator's hosts are let through by name and port, others that lead to the same address are not", async () => {
  const { targets, connect } = recorder();
  const ports: OutboundPorts = {
    allowedHosts: allowedHosts(["api.test:8443", "[::1]:80"]),
    resolve: async () => ["10.1.2.3"],
  };
  assert.ok((await connecting(ports, "https://api.test:8443/", connect)) instanceof Socket);
  assert.ok((await connecting(ports, "http://[::1]/", connect)) instanceof Socket);
  assert.deepEqual(targets, [
    { address: "10.1.2.3", port: 8443, tlsName: "api.test" },
    { address: "::1", port: 80, tlsName: undefined },
  ]);
  for (const url of ["https://api.test/", "https://other.test:8443/", "https://10.1.2.3:8443/"]) {
    assert.equal(codeOf(await connecting(ports, url, connect)), "address_refused", url);
  }
});

const listening = async (t: TestContext, server: ReturnType<typeof createServer>): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
};

test("over TLS the server is asked for by its name, not by the address, and must prove it", async (t) => {
  const names: string[] = [];
  // It has no certificate: the handshake fails, after the client has said whom it looks for.
  const server = createTlsServer({
    SNICallback: (name, callback) => {
      names.push(name);
      callback(new Error("no certificate"));
    },
  });
  server.on("tlsClientError", () => {});
  const port = await listening(t, server);
  const ports: OutboundPorts = {
    allowedHosts: allowedHosts([`named.test:${port}`]),
    resolve: async () => ["127.0.0.1"],
  };
  assert.equal(codeOf(await connecting(ports, `https://named.test:${port}/`)), "external_failed");
  assert.deepEqual(names, ["named.test"]);
});

test("a connection that hangs ends when the call does", async (t) => {
  const server = createServer(() => {});
  const port = await listening(t, server);
  const abort = new AbortController();
  const ports: OutboundPorts = {
    allowedHosts: allowedHosts([`slow.test:${port}`]),
    resolve: async () => ["127.0.0.1"],
  };
  // It is connected to, and never answers the handshake.
  const connected = guardedConnect(ports, {
    url: new URL(`https://slow.test:${port}/`),
    signal: abort.signal,
  });
  server.once("connection", () => abort.abort());
  await assert.rejects(connected, (error) => codeOf(error) === "external_failed");
});

test("nothing arrives at a server on this machine, however its address is spelled", async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await listening(t, server);
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "localhost",
    "localhost.",
    "１２７.０.０.１",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "0.0.0.0",
    "0",
    "[::]",
  ]) {
    const client = guardedClient(resolvingTo("127.0.0.1"));
    await assert.rejects(
      client.request({ url: new URL(`http://${host}:${port}`), method: "GET", headers: {}, signal }),
      (error) => codeOf(error) === "address_refused",
      host,
    );
    client.close();
  }
  assert.equal(connections, 0);
});
