import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Preloaded into the real command (`--import`): kills the process with SIGKILL right before its nth change of the disk below
 * KILL_ROOT, n being KILL_AT; with KILL_COUNT, writes how many there were to that file instead.
 */
const { KILL_ROOT: root = "", KILL_AT: at = "0", KILL_COUNT: countFile } = process.env;
let calls = 0;

function beforeChange(paths: readonly unknown[]): void {
  if (!paths.some((path) => typeof path === "string" && path.startsWith(root))) return;
  calls += 1;
  if (calls === Number(at)) process.kill(process.pid, "SIGKILL");
}

const { open, rename, unlink, mkdir, rmdir, symlink } = fs.promises;
Object.assign(fs.promises, {
  open: (...args: Parameters<typeof open>) => {
    beforeChange([args[0]]);
    return open(...args);
  },
  rename: (...args: Parameters<typeof rename>) => {
    beforeChange(args);
    return rename(...args);
  },
  unlink: (...args: Parameters<typeof unlink>) => {
    beforeChange(args);
    return unlink(...args);
  },
  mkdir: (...args: Parameters<typeof mkdir>) => {
    beforeChange([args[0]]);
    return mkdir(...args);
  },
  rmdir: (...args: Parameters<typeof rmdir>) => {
    beforeChange([args[0]]);
    return rmdir(...args);
  },
  symlink: (...args: Parameters<typeof symlink>) => {
    beforeChange([args[1]]);
    return symlink(...args);
  },
});
syncBuiltinESMExports();

if (countFile !== undefined) process.on("exit", () => fs.writeFileSync(countFile, String(calls)));
