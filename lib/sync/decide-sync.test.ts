import assert from "node:assert/strict";
import { test } from "node:test";
import { conflictPolicies } from "./conflict-policy.ts";
import { decideSync, type SyncRules } from "./decide-sync.ts";
import type { SyncDecision } from "./sync-decision.ts";
import { syncDirections } from "./sync-direction.ts";
import type { BaseState, LocalState, RemoteState } from "./sync-state.ts";

// One letter a content; the version stands behind it: "A1.9" is content A under version 1.9. "-" is nothing, "?" an unknown
// base, "xA1" the tombstone of A1.
const content = (text: string) => ({ contentSha256: text.slice(0, 1), version: text.slice(1) });
const baseOf = (text: string): BaseState => {
  if (text === "?") return { kind: "unknown" };
  return text === "-" ? { kind: "absent" } : { kind: "content", serverId: "res_1", ...content(text) };
};
const localOf = (text: string): LocalState =>
  text === "-" ? { kind: "absent" } : { kind: "content", ...content(text) };
const remoteOf = (text: string): RemoteState => {
  if (text === "-") return { kind: "never" };
  const known = { serverId: "res_1", revision: 7 };
  return text.startsWith("x")
    ? { kind: "tombstone", ...known, ...content(text.slice(1)) }
    : { kind: "live", ...known, ...content(text) };
};

function shown(decision: SyncDecision): string {
  switch (decision.kind) {
    case "none":
      return decision.agreed ? "none" : "not ours";
    case "skip":
      return decision.reason;
    case "conflict":
      return `conflict ${decision.reason}`;
    case "error":
      return `${decision.side} ${decision.version} < ${decision.against}`;
    case "create":
    case "update":
    case "delete_remote":
      return `${decision.kind} at ${decision.expectedRevision}`;
    case "pull":
    case "delete_local":
      return decision.keepCopy ? `${decision.kind}, keep` : decision.kind;
    default:
      return decision satisfies never;
  }
}

const manual: SyncRules = { policy: "manual", direction: "both", prune: true, force: false };
const decide = (states: string, rules: Partial<SyncRules> = {}): SyncDecision => {
  const [base = "", local = "", remote = ""] = states.split(" ");
  return decideSync({
    ...manual,
    ...rules,
    base: baseOf(base),
    local: localOf(local),
    remote: remoteOf(remote),
  });
};

/** Base, local, server → what is decided in a push, a pull, and in both directions, with prune. */
const oneSided: readonly (readonly [string, string, string, string])[] = [
  ["? - -", "none", "none", "none"],
  ["A1 - -", "none", "none", "none"],
  ["A1 - xA1", "none", "none", "none"],
  ["? - xA1", "none", "none", "none"],
  ["? A1 -", "create at 0", "new_here", "create at 0"],
  ["- A1 -", "create at 0", "new_here", "create at 0"],
  // A server that lost its data has deleted nothing.
  ["A1 A1 -", "create at 0", "new_here", "create at 0"],
  ["A1 B1 -", "create at 0", "new_here", "create at 0"],
  // Made again after both sides agreed on its deletion.
  ["- A1 xA1", "create at 7", "new_here", "create at 7"],
  ["- B1 xA1", "create at 7", "new_here", "create at 7"],
  ["A1 A1 xA1", "deleted_on_server", "delete_local", "delete_local"],
  ["A1 A1 xB1", "deleted_on_server", "delete_local", "delete_local"],
  ["? A1 xA1", "deleted_on_server", "delete_local", "delete_local"],
  ["? - A1", "not ours", "pull", "pull"],
  ["- - A1", "not ours", "pull", "pull"],
  ["A1 - A1", "delete_remote at 7", "deleted_here", "delete_remote at 7"],
  ["A1 A1 A1", "unchanged", "unchanged", "unchanged"],
  ["? A1 A1", "same_on_both_sides", "same_on_both_sides", "same_on_both_sides"],
  ["- A1 A1", "same_on_both_sides", "same_on_both_sides", "same_on_both_sides"],
  ["A1 B1 B1", "same_on_both_sides", "same_on_both_sides", "same_on_both_sides"],
  ["A1 B1 A1", "update at 7", "changed_here", "update at 7"],
  ["A1.9 B1.10 A1.9", "update at 7", "changed_here", "update at 7"],
  ["A1 A1 B1", "changed_on_server", "pull", "pull"],
  ["A1.9 A1.9 B1.10", "changed_on_server", "pull", "pull"],
  ["A1.10 B1.9 A1.10", "local 1.9 < 1.10", "changed_here", "local 1.9 < 1.10"],
  ["A1.10 A1.10 B1.9", "changed_on_server", "server 1.9 < 1.10", "server 1.9 < 1.10"],
];

for (const [states, ...expected] of oneSided) {
  const [push, pull, both] = expected;
  test(`base, local, server ${states}: push ${push}, pull ${pull}, both ${both}, whatever the policy`, () => {
    for (const policy of conflictPolicies) {
      const decisions = (["push", "pull", "both"] as const).map((direction) =>
        shown(decide(states, { direction, policy })),
      );
      assert.deepEqual(decisions, expected, policy);
    }
  });
}

/** Base, local, server → the conflict, and what each policy makes of it in both directions, with prune. */
const conflicts: readonly (readonly [string, string, string, string])[] = [
  ["A1 B1 C1", "both_changed", "update at 7", "pull, keep"],
  ["A1 B1 C2", "both_changed", "update at 7", "pull, keep"],
  ["? A1 B1", "no_base", "update at 7", "pull, keep"],
  ["- A1 B1", "no_base", "update at 7", "pull, keep"],
  ["? A1.9 B1.10", "no_base", "local 1.9 < 1.10", "pull, keep"],
  ["A1.10 B1.9 C1.8", "both_changed", "local 1.9 < 1.10", "server 1.8 < 1.10"],
  ["A1 B1 xA1", "edited_here_deleted_there", "create at 7", "delete_local, keep"],
  ["? B1 xA1", "edited_here_deleted_there", "create at 7", "delete_local, keep"],
  ["A1.10 B1.9 xA1.10", "edited_here_deleted_there", "local 1.9 < 1.10", "delete_local, keep"],
  ["A1 - B1", "deleted_here_edited_there", "delete_remote at 7", "pull"],
  ["A1.10 - B1.9", "deleted_here_edited_there", "delete_remote at 7", "server 1.9 < 1.10"],
];

for (const [states, reason, local, server] of conflicts) {
  test(`base, local, server ${states}: a conflict (${reason}); local_wins: ${local}, server_wins: ${server}`, () => {
    for (const direction of syncDirections) {
      assert.equal(shown(decide(states, { direction })), `conflict ${reason}`);
    }
    const localWins = decide(states, { policy: "local_wins" });
    const serverWins = decide(states, { policy: "server_wins" });
    assert.deepEqual([shown(localWins), shown(serverWins)], [local, server]);
    // Who wins against the direction changes nothing.
    assert.equal(shown(decide(states, { policy: "local_wins", direction: "pull" })), "local_wins");
    assert.equal(shown(decide(states, { policy: "server_wins", direction: "push" })), "server_wins");
    for (const [decision, policy] of [
      [localWins, "local_wins"],
      [serverWins, "server_wins"],
    ] as const) {
      if (decision.kind !== "error") assert.equal("resolved" in decision && decision.resolved, policy);
    }
  });
}

test("without prune nothing is deleted, on either side and under any policy", () => {
  const states = [...oneSided, ...conflicts].map(([first]) => first);
  for (const policy of conflictPolicies) {
    for (const direction of syncDirections) {
      for (const one of states) {
        const { kind } = decide(one, { policy, direction, prune: false });
        assert.ok(kind !== "delete_local" && kind !== "delete_remote", one);
      }
    }
  }
  assert.equal(shown(decide("A1 - A1", { prune: false })), "deleted_here");
  assert.equal(shown(decide("A1 A1 xA1", { prune: false })), "deleted_on_server");
  assert.equal(shown(decide("A1 - B1", { prune: false, policy: "local_wins" })), "deleted_here");
  assert.equal(shown(decide("A1 B1 xA1", { prune: false, policy: "server_wins" })), "deleted_on_server");
});

test("F19: a change under an older version goes through when it is forced, and only then", () => {
  assert.equal(shown(decide("A1.10 B1.9 A1.10", { force: true })), "update at 7");
  assert.equal(shown(decide("A1.10 A1.10 B1.9", { force: true })), "pull");
  assert.equal(shown(decide("? A1.9 B1.10", { force: true, policy: "local_wins" })), "update at 7");
  assert.equal(shown(decide("A10 B9 A10")), "local 9 < 10");
  assert.equal(shown(decide("A9 B10 A9")), "update at 7");
});

test("equal versions with different content are a change, not a skip", () => {
  assert.equal(shown(decide("A1.0 B1.0 A1.0")), "update at 7");
  assert.equal(shown(decide("A1.0 A1.0 B1.0")), "pull");
});
