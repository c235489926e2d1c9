import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The reference MCP server "everything" from npm, in a process of its own, over Streamable HTTP. */
export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What it logged so far. */
  readonly lines: readonly string[];
  /** Resolves once it has logged a line that matches. */
  logged(pattern: RegExp): Promise<void>;
}

export const everythingServer = async (): Promise<EverythingServer> => {
  const port = await freePort();
  const entry = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
  const child = spawn(process.execPath, [entry, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const logged = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!lines.some((line) => pattern.test(line))) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const exited = once(child, "exit");
  const ended = exited.then(() => {
    throw new Error(`the MCP server ended: ${lines.join("\n")}`);
  });
  await Promise.race([logged(/listening on port/i), ended]);
  ended.catch(() => undefined);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    lines,
    logged,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
};
