import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory of its own, gone at the end. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** Files by path, with the directories above them. */
  put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  link(path: string, target: string): Promise<void>;
  executable(path: string): Promise<void>;
  git(...args: readonly string[]): string;
}

export async function scratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), "planledger-test-"));
  return {
    path,
    put: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), content);
      }
    },
    link: async (name, target) => {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await symlink(target, join(path, name));
    },
    executable: (name) => chmod(join(path, name), 0o755),
    git: (...args) =>
      execFileSync("git", ["-C", path, ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: gitEnvironment(),
      }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Git without the configuration of whoever runs the tests. */
export const gitEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
});
