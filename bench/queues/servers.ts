import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A server that a yardstick runs on, started for it on a free port of the loopback interface. */
export interface YardstickServer {
  readonly port: number;
  readonly version: string;
  stop(): Promise<void>;
}

/** Where a server's program is, or why there is none. */
export type Found = { readonly program: string } | { readonly missing: string };

/** What is fetched for the yardsticks: not part of the checkout, and safe to delete. */
const cache = join(import.meta.dirname, "..", ".cache");
const readySeconds = 20;

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(":")
    .map((directory) => join(directory, name))
    .find(existsSync);
}

/** `REDIS_SERVER`, the PATH, or Debian's packages unpacked into the cache without being installed. */
export function findRedis(): Found {
  const unpacked = join(cache, "redis", "usr", "bin", "redis-server");
  const found = process.env.REDIS_SERVER ?? onPath("redis-server");
  if (found !== undefined) return { program: found };
  if (!existsSync(unpacked)) {
    try {
      unpackDebian(["redis-server", "redis-tools", "liblzf1", "libjemalloc2", "libatomic1", "libsystemd0"]);
    } catch (fault) {
      const why = fault instanceof Error ? (fault.message.split("\n")[0] ?? "") : String(fault);
      return {
        missing: `no redis-server on the PATH or in REDIS_SERVER, and Debian's package was not to be had (${why})`,
      };
    }
  }
  return { program: unpacked };
}

function unpackDebian(packages: readonly string[]): void {
  const downloads = mkdtempSync(join(tmpdir(), "planledger-redis-"));
  try {
    execFileSync("apt-get", ["download", ...packages], {
      cwd: downloads,
      stdio: ["ignore", "ignore", "pipe"],
    });
    mkdirSync(join(cache, "redis"), { recursive: true });
    for (const file of readdirSync(downloads)) {
      execFileSync("dpkg", ["-x", join(downloads, file), join(cache, "redis")]);
    }
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

/** `POSTGRES_BIN`, the PATH, or where Debian keeps it: the directory with `initdb` and `postgres`. */
export function findPostgres(): Found {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((one, other) => Number(other) - Number(one))
    : [];
  const candidates = [
    process.env.POSTGRES_BIN,
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
  ];
  const program = candidates.find(
    (directory) =>
      directory !== undefined &&
      existsSync(join(directory, "initdb")) &&
      existsSync(join(directory, "postgres")),
  );
  return program === undefined
    ? {
        missing:
          "no initdb and postgres on the PATH, in POSTGRES_BIN, or in /usr/lib/postgresql (Debian: apt-get install postgresql)",
      }
    : { program };
}

/** Redis as it comes, in memory: nothing is written to disk. */
export async function startRedis(program: string): Promise<YardstickServer> {
  const port = await freePort();
  const libraries = join(cache, "redis", "usr", "lib", "x86_64-linux-gnu");
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: `${libraries}:${libraries.replace("/usr/", "/")}:${process.env.LD_LIBRARY_PATH ?? ""}`,
  };
  const server = spawn(
    program,
    [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--maxmemory-policy",
      "noeviction",
    ],
    { env, stdio: "ignore" },
  );
  await listening(server, port);
  const version =
    execFileSync(program, ["--version"], { env })
      .toString()
      .match(/v=(\S+)/)?.[1] ?? "";
  return { port, version: `Redis ${version}`, stop: () => ended(server) };
}

/** PostgreSQL as it comes, its data on disk, with fsync. It does not run as root: then it runs as the user postgres or nobody. */
export async function startPostgres(bin: string): Promise<YardstickServer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), "planledger-postgres-"));
  const user = process.getuid?.() === 0 ? unprivileged() : undefined;
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "bench", "--auth=trust", "--no-instructions"], {
    cwd: directory,
    stdio: "ignore",
    ...user,
  });
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", directory],
    { cwd: directory, stdio: "ignore", ...user },
  );
  await listening(server, port);
  const version =
    execFileSync(join(bin, "postgres"), ["--version"])
      .toString()
      .match(/\d+(\.\d+)?/)?.[0] ?? "";
  return {
    port,
    version: `PostgreSQL ${version}`,
    async stop() {
      await ended(server, "SIGINT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  for (const name of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = ["-u", "-g"].map((flag) =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user: the next one.
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no port")),
      );
    });
  });
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < readySeconds * 20; tries += 1) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`);
    if (await connects(port)) return;
    await delay(50);
  }
  await ended(server);
  throw new Error(`${server.spawnfile} did not listen within ${readySeconds} s`);
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

async function ended(server: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server.once("exit", resolve));
  server.kill(signal);
  await exit;
}
