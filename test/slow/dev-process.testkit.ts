import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";

const launcher = join(import.meta.dirname, "..", "..", "bin", "planledger.js");
const ready = z.object({ url: z.string(), token: z.string() });
const owner = z.object({ pid: z.number(), emulatorPid: z.optional(z.number()) });

/** A real `planledger dev`, in a process of its own. */
export interface DevProcess extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  readonly client: PlanledgerClient;
  /** Of the emulator that this process started for its data directory. */
  readonly emulatorPid: number | undefined;
  /** `kill -9`, sent before this returns; resolves when the process, its emulator and that one's whole group are gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it and waits until it says where it is. */
export async function startDev(options: {
  readonly cwd: string;
  /** 0: any free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<DevProcess> {
  const args = ["dev", "--port", String(options.port), "--data", options.dataDir, "--json"];
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const { url, token } = await announced(child, ended);
  const emulatorPid = emulatorOf(options.dataDir);
  // The emulator lives in a group of its own, with the shell that guards it.
  const group = emulatorPid === undefined ? undefined : groupOf(emulatorPid);
  if (emulatorPid !== undefined && group === undefined) throw new Error(`no emulator ${emulatorPid} runs`);
  const gone = async () => {
    await ended;
    if (group !== undefined) await untilEmpty(group);
  };
  return {
    url,
    token,
    port: Number(new URL(url).port),
    client: planledgerClient({ url, token }),
    emulatorPid,
    kill() {
      child.kill("SIGKILL");
      return gone();
    },
    async stop() {
      child.kill("SIGTERM");
      await gone();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await gone();
    },
  };
}

function announced(child: ChildProcess, ended: Promise<number | null>): Promise<z.output<typeof ready>> {
  let text = "";
  let errors = "";
  return new Promise((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk).slice(-4000);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk;
      // Why it failed is one document too.
      const document = text.endsWith("}\n") ? ready.safeParse(JSON.parse(text)) : undefined;
      if (document?.success) resolve(document.data);
    });
    void ended.then((code) => reject(new Error(`planledger dev ended with ${code}: ${errors}`)));
  });
}

function emulatorOf(dataDir: string): number | undefined {
  try {
    return owner.parse(JSON.parse(readFileSync(join(dataDir, "owner.json"), "utf8"))).emulatorPid;
  } catch {
    return undefined;
  }
}

const withinMs = 15_000;

/** Waits until no process of the group is left; a zombie that nobody has reaped yet runs no more. */
async function untilEmpty(group: number): Promise<void> {
  for (const until = Date.now() + withinMs; ; ) {
    const left = membersOf(group);
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`orphaned ${withinMs} ms after the kill: ${left.join(", ")}`);
    await delay(5);
  }
}

function membersOf(group: number): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = statOf(pid);
      return stat?.group === group && stat.state !== "Z" ? [`${pid} ${stat.name}`] : [];
    });
}

const groupOf = (pid: number): number | undefined => statOf(String(pid))?.group;

function statOf(pid: string) {
  try {
    const [, name = "", rest = ""] =
      /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [state, , group] = rest.split(" ");
    return { name, state, group: Number(group) };
  } catch {
    return undefined;
  }
}
