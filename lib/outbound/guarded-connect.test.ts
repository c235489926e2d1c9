import assert from "node:assert/strict";
import { createServer, Socket } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { Agent, type buildConnector } from "undici";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import { guardedConnect } from "./guarded-connect.ts";
import { ownCause } from "./outbound-error.ts";

type Target = buildConnector.Options;

const target = (hostname: string, more: Partial<Target> = {}): Target => ({
  hostname,
  host: hostname,
  protocol: "https:",
  port: "",
  ...more,
});

const connecting = (connect: buildConnector.connector, to: Target) =>
  new Promise<unknown>((resolve) => connect(to, (error, socket) => resolve(error ?? socket)));

/** Connects nowhere; keeps where it was to connect to. */
const recorder = (fails: (address: string) => boolean = () => false) => {
  const targets: Target[] = [];
  const connect: buildConnector.connector = (to, callback) => {
    targets.push(to);
    if (fails(to.hostname)) callback(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), null);
    else callback(null, new Socket());
  };
  return { targets, connect };
};

const codeOf = (error: unknown) => (error instanceof PlanledgerError ? error.code : error);

test("a name is resolved once, and what is connected to is the address that was checked (DNS rebinding)", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["169.254.169.254"]];
  let asked = 0;
  const { targets, connect } = recorder();
  const guarded = guardedConnect(
    {
      allowedHosts: allowedHosts([]),
      async resolve() {
        asked += 1;
        return answers[asked - 1] ?? [];
      },
    },
    connect,
  );
  assert.ok((await connecting(guarded, target("rebind.test"))) instanceof Socket);
  assert.equal(asked, 1);
  assert.deepEqual(
    targets.map(({ hostname, host }) => [hostname, host]),
    [["93.184.215.14", "rebind.test"]],
  );
  // The next connection is checked anew.
  assert.equal(codeOf(await connecting(guarded, target("rebind.test"))), "address_refused");
  assert.equal(targets.length, 1);
});

test("a name with one address that is refused is refused as a whole, wherever that stands", async () => {
  for (const addresses of [
    ["8.8.8.8", "10.0.0.1"],
    ["10.0.0.1", "8.8.8.8"],
    ["2606:4700::1111", "::ffff:10.0.0.1"],
  ]) {
    const { targets, connect } = recorder();
    const resolve = async () => addresses;
    const guarded = guardedConnect({ allowedHosts: allowedHosts([]), resolve }, connect);
    assert.equal(codeOf(await connecting(guarded, target("mixed.test"))), "address_refused");
    assert.deepEqual(targets, []);
  }
});

test("the next address is tried when one does not answer; when none does, the error says so", async () => {
  const ports = { allowedHosts: allowedHosts([]), resolve: async () => ["8.8.4.4", "8.8.8.8"] };
  const first = recorder((address) => address === "8.8.4.4");
  assert.ok((await connecting(guardedConnect(ports, first.connect), target("two.test"))) instanceof Socket);
  assert.deepEqual(
    first.targets.map(({ hostname }) => hostname),
    ["8.8.4.4", "8.8.8.8"],
  );
  const none = recorder(() => true);
  const error = await connecting(guardedConnect(ports, none.connect), target("two.test"));
  assert.equal(codeOf(error), "external_failed");
  assert.match(String(error), /two\.test.*ECONNREFUSED.*nothing was sent/);
});

test("a name without an address, and a name server that fails, are named", async () => {
  const { connect } = recorder();
  const nothing = { allowedHosts: allowedHosts([]), resolve: async () => [] };
  assert.match(
    String(await connecting(guardedConnect(nothing, connect), target("no.test"))),
    /no\.test has no/,
  );
  const failing = {
    allowedHosts: allowedHosts([]),
    resolve: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })),
  };
  assert.match(String(await connecting(guardedConnect(failing, connect), target("no.test"))), /ENOTFOUND/);
});

test("the operator's hosts are let through by name and port, others that lead to the same address are not", async () => {
  const { targets, connect } = recorder();
  const ports = {
    allowedHosts: allowedHosts(["api.test:8443", "[::1]:80"]),
    resolve: async () => ["10.1.2.3"],
  };
  const guarded = guardedConnect(ports, connect);
  assert.ok((await connecting(guarded, target("api.test", { port: "8443" }))) instanceof Socket);
  assert.ok((await connecting(guarded, target("[::1]", { protocol: "http:" }))) instanceof Socket);
  assert.deepEqual(
    targets.map(({ hostname }) => hostname),
    ["10.1.2.3", "::1"],
  );
  assert.equal(codeOf(await connecting(guarded, target("api.test"))), "address_refused");
  assert.equal(codeOf(await connecting(guarded, target("other.test", { port: "8443" }))), "address_refused");
  assert.equal(codeOf(await connecting(guarded, target("10.1.2.3", { port: "8443" }))), "address_refused");
});

test("over TLS the server is asked for by its name, not by the address", async () => {
  const names: string[] = [];
  // It has no certificate: the handshake fails, after the client has said whom it looks for.
  const server = createTlsServer({
    SNICallback: (name, callback) => {
      names.push(name);
      callback(new Error("no certificate"));
    },
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const ports = {
    allowedHosts: allowedHosts([`named.test:${address.port}`]),
    resolve: async () => ["127.0.0.1"],
  };
  const agent = new Agent({ connect: guardedConnect(ports) });
  await assert.rejects(
    agent.request({ origin: `https://named.test:${address.port}`, path: "/", method: "GET" }),
    (error) => ownCause(error)?.code === "external_failed",
  );
  assert.deepEqual(names, ["named.test"]);
  await agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test("nothing arrives at a server on this machine, however its address is spelled", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const resolve = async () => ["127.0.0.1"];
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
    "0.0.0.0",
    "0",
    "[::]",
  ]) {
    const agent = new Agent({ connect: guardedConnect({ allowedHosts: allowedHosts([]), resolve }) });
    await assert.rejects(
      agent.request({ origin: `http://${host}:${address.port}`, path: "/", method: "GET" }),
      (error) => ownCause(error)?.code === "address_refused",
      host,
    );
    await agent.destroy();
  }
  assert.equal(connections, 0);
  await new Promise((resolve) => server.close(resolve));
});
