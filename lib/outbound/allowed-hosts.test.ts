import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
import { allowedHosts, hostAndPortOf } from "./allowed-hosts.ts";

const allows = (entries: readonly string[], url: string) =>
  allowedHosts(entries).allows(hostAndPortOf(new URL(url)));

test("a host is allowed on every port, a host with a port on that one", () => {
  assert.ok(allows(["api.internal"], "https://api.internal/x"));
  assert.ok(allows(["api.internal"], "http://api.internal:8080/x"));
  assert.ok(allows(["api.internal:8080"], "http://api.internal:8080/x"));
  assert.ok(allows(["api.internal:443"], "https://api.internal/x"));
  assert.ok(allows(["api.internal:80"], "http://api.internal/x"));
  assert.ok(!allows(["api.internal:8080"], "http://api.internal/x"));
  assert.ok(!allows(["api.internal:80"], "https://api.internal/x"));
});

test("hosts are compared whole: no part of a name, no pattern", () => {
  for (const url of [
    "http://evil-api.internal/",
    "http://api.internal.evil.com/",
    "http://x.api.internal/",
  ]) {
    assert.ok(!allows(["api.internal"], url), url);
  }
});

test("addresses are allowed in whichever spelling, and only they", () => {
  assert.ok(allows(["127.0.0.1:9000"], "http://2130706433:9000/"));
  assert.ok(allows(["[::1]:9000"], "http://[0:0:0:0:0:0:0:1]:9000/"));
  assert.ok(allows(["LOCALHOST"], "http://localhost/"));
  assert.ok(!allows(["127.0.0.1:9000"], "http://127.0.0.2:9000/"));
  assert.ok(!allows(["localhost"], "http://127.0.0.1/"));
});

test("what is no host is refused, and shown", () => {
  for (const entry of ["", "http://x", "x:0", "x:70000", "x:y", "a b", "u@x", "::1", "x/y", "*", "[::zz]"]) {
    assert.throws(
      () => allowedHosts([entry]),
      (error) => error instanceof ValidationError && error.message.includes(JSON.stringify(entry)),
      entry,
    );
  }
});
