import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/**
 * Builds what the package ships: JavaScript and types of `lib`, `functions`, `cli`, the topology and the local renderer, into
 * `dist/`. Node does not strip types below `node_modules`, and a package's `#lib/…` imports would lead to its sources; so
 * they become relative paths first, in a copy that the compiler then takes with its own rewriting of `.ts`.
 */
const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const copies = join(root, "dist-sources");
const shipped = ["lib/**/*", "functions/**/*", "cli/**/*", "infra/*", "infra/local/**/*"];
/** `from "…"`, `import "…"`, `import("…")`. */
const anySpecifier = /(\bfrom\s*|\bimport\s*\(?\s*)"([^"\n]+)"/g;
const ownRoom = /((?:\bfrom\s*|\bimport\s*\(?\s*)")#((?:lib|functions|infra|cli)\/[^"\n]+)(")/g;
const relativeTypeScript = /((?:\bfrom\s*|\bimport\s*\(?\s*)")(\.[^"\n]*)\.ts(")/g;
const leftOut = /\.(test|testkit|contract|property)\.ts$/;

for (const old of [dist, copies]) rmSync(old, { recursive: true, force: true });
const sources = shipped
  .flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !leftOut.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
for (const source of sources) {
  const text = readFileSync(join(root, source));
  if (source.endsWith(".ts")) write(join(copies, source), withRelativeImports(text.toString(), source));
  else write(join(dist, source), text);
}

const compiler = join(root, "node_modules", ".bin", "tsc");
const compiled = spawnSync(compiler, ["-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
rmSync(copies, { recursive: true });

const dangling: string[] = [];
for (const file of globSync("**/*.{js,d.ts}", { cwd: dist })) {
  const path = join(dist, file);
  const text = readFileSync(path, "utf8");
  // The compiler rewrites specifiers in JavaScript, and leaves those of declarations.
  const rewritten = file.endsWith(".d.ts") ? text.replace(relativeTypeScript, "$1$2.js$3") : text;
  if (rewritten !== text) writeFileSync(path, rewritten);
  for (const [, , specifier = ""] of rewritten.matchAll(anySpecifier)) {
    if (
      specifier.startsWith("#") ||
      (specifier.startsWith(".") && !existsSync(join(dirname(path), specifier)))
    ) {
      dangling.push(`dist/${file}: ${specifier}`);
    }
  }
}
if (dangling.length > 0) {
  process.stderr.write(`imports that lead nowhere:\n${dangling.join("\n")}\n`);
  process.exit(1);
}
process.stderr.write(`built ${sources.length} files into dist/\n`);

function withRelativeImports(text: string, source: string): string {
  return text.replace(ownRoom, (_, before: string, target: string, after: string) => {
    const path = posix.relative(posix.dirname(source), target);
    return `${before}${path.startsWith(".") ? path : `./${path}`}${after}`;
  });
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
