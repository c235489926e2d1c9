import type { SyncPorts } from "./run-sync.ts";
import type { SyncWrite } from "./sync-transport.ts";

/** Not one of Planledger's errors: nothing may catch it and go on. */
export class Killed extends Error {}

/** When to die: at which call of a port, and whether that call still does its work. `half` does half of a batch. */
export interface Fuse {
  readonly atCall: number;
  readonly when: "before" | "after" | "half";
}

export interface FusedPorts extends SyncPorts {
  readonly calls: () => number;
}

/** The ports of a process that dies at a call: from then on every call fails. Without a fuse, calls are counted only. */
export function fusedPorts(ports: SyncPorts, fuse?: Fuse): FusedPorts {
  let calls = 0;
  let dead = false;
  const call = async <Result>(work: () => Promise<Result>, half: () => Promise<unknown>): Promise<Result> => {
    if (dead) throw new Killed("after its death");
    calls += 1;
    if (calls !== fuse?.atCall) return work();
    dead = true;
    if (fuse.when === "after") await work();
    if (fuse.when === "half") await half();
    throw new Killed(`at call ${calls}, ${fuse.when}`);
  };
  const nothing = async () => undefined;
  const { transport, local, bases, content } = ports;
  return {
    ...ports,
    transport: {
      list: (query) => call(() => transport.list(query), nothing),
      read: (keys) => call(() => transport.read(keys), nothing),
      write: (writes: readonly SyncWrite[]) =>
        call(
          () => transport.write(writes),
          () => transport.write(writes.slice(0, Math.ceil(writes.length / 2))),
        ),
    },
    local: {
      read: (kinds) => call(() => local.read(kinds), nothing),
      load: (key) => call(() => local.load(key), nothing),
      writeServerId: (note) => call(() => local.writeServerId(note), nothing),
      write: (change) => call(() => local.write(change), nothing),
      remove: (change) => call(() => local.remove(change), nothing),
    },
    bases: {
      load: () => call(() => bases.load(), nothing),
      save: (changes) => call(() => bases.save(changes), nothing),
    },
    content: { send: (kind, item) => call(() => content.send(kind, item), nothing) },
    calls: () => calls,
  };
}
