// Plain CommonJS for whatever Node and npm start it with: installs the pinned dependencies before the first script runs.
const { execFileSync } = require("node:child_process");
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
const lock = readFileSync(join(root, "package-lock.json"), "utf8");
const marker = join(root, "node_modules", ".planledger-lock");

if (!existsSync(marker) || readFileSync(marker, "utf8") !== lock) {
  process.stderr.write("installing dependencies (npm ci) ...\n");
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ["npm", []];
  execFileSync(command, [...args, "ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: root,
    // Standard output is that of the script for which this installs.
    stdio: ["ignore", 2, 2],
  });
  require("node:fs").writeFileSync(marker, lock);
}
