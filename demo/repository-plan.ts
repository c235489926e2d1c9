import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

interface Decision {
  readonly id: string;
  readonly parentId: string;
  readonly rationale: string;
  readonly dependsOn?: readonly string[];
  readonly toolCalls: readonly { readonly tool: string; readonly input: Record<string, unknown> }[];
}

const from = "lib/errors/error-code.ts";
const to = "lib/errors/stable-error-code.ts";

/**
 * A plan such as an agent would make for this repository: "make it ready for contributors, and give the module with the
 * error codes a name that says that they are stable". It is made from the files as they are, so it fits any state of them.
 */
export function repositoryPlan(root: string): {
  readonly name: string;
  readonly decisionRootId: string;
  readonly decisions: readonly Decision[];
} {
  const importers = execFileSync("git", ["grep", "-l", "--cached", 'error-code\\.ts"', "--", "*.ts"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)) && !path.startsWith("demo/"));
  const rename = importers.map((path) => ({
    tool: "edit_file",
    input: { path, edits: importEdits(readFileSync(join(root, path), "utf8")) },
  }));
  const half = Math.ceil(rename.length / 2);

  const decisions: Decision[] = [
    {
      id: "editorconfig",
      parentId: "prompt",
      rationale: "editors should agree on line ends and indentation before anybody sends a change",
      toolCalls: [
        write(
          ".editorconfig",
          "root = true\n\n[*]\nend_of_line = lf\ninsert_final_newline = true\nindent_style = space\nindent_size = 2\n",
        ),
      ],
    },
    {
      id: "contributing",
      parentId: "prompt",
      rationale: "a newcomer needs one page that says how to build, test and send a change",
      toolCalls: [
        write(
          "CONTRIBUTING.md",
          "# Contributing\n\n1. `npm test` must be green.\n2. Commits are small and whole; their messages say why.\n3. The full check is `.ci/run`.\n",
        ),
      ],
    },
    {
      id: "readme-link",
      parentId: "contributing",
      rationale: "nobody finds a page that the README does not name",
      dependsOn: ["contributing"],
      toolCalls: [
        append(root, "README.md", "\n## Contributing\n\nSee [CONTRIBUTING.md](CONTRIBUTING.md).\n"),
      ],
    },
    {
      id: "move-check",
      parentId: "contributing",
      rationale: "the full check is a script like the others, so it belongs beside them",
      toolCalls: [{ tool: "move_file", input: { source: ".ci/run", destination: "scripts/check-all" } }],
    },
    {
      id: "fix-check-name",
      parentId: "move-check",
      rationale: "the page names the script by its old path",
      dependsOn: ["contributing", "move-check"],
      toolCalls: [
        {
          tool: "edit_file",
          input: {
            path: "CONTRIBUTING.md",
            edits: [{ oldText: "`.ci/run`", newText: "`scripts/check-all`" }],
          },
        },
      ],
    },
    {
      id: "rename-module",
      parentId: "prompt",
      rationale: "the codes are a promise to callers; the module's name should say so",
      toolCalls: [{ tool: "move_file", input: { source: from, destination: to } }],
    },
    {
      id: "fix-imports-1",
      parentId: "rename-module",
      rationale: "the first half of the modules that import it",
      dependsOn: ["rename-module"],
      toolCalls: rename.slice(0, half),
    },
    {
      id: "fix-imports-2",
      parentId: "rename-module",
      rationale: "the other half",
      dependsOn: ["rename-module"],
      toolCalls: rename.slice(half),
    },
    {
      id: "release-script",
      parentId: "prompt",
      rationale: "a release is four commands that nobody should have to remember",
      toolCalls: [
        write(
          "scripts/release.sh",
          '#!/bin/sh\nset -eu\nnpm test\nnpm pack\ngit tag "v$(node -p "require(\'./package.json\').version")"\n',
        ),
        { tool: "set_file_mode", input: { path: "scripts/release.sh", mode: "100755" } },
      ],
    },
    {
      id: "logo",
      parentId: "prompt",
      rationale: "pages look for an icon; a small one saves a 404",
      toolCalls: [
        {
          tool: "write_file",
          input: { path: "docs/icon.png", content: icon().toString("base64"), encoding: "base64" },
        },
      ],
    },
    {
      id: "logo-link",
      parentId: "logo",
      rationale: "show it where people look first",
      dependsOn: ["logo", "readme-link"],
      toolCalls: [
        append(
          root,
          "README.md",
          "\n![icon](docs/icon.png)\n",
          "\n## Contributing\n\nSee [CONTRIBUTING.md](CONTRIBUTING.md).\n",
        ),
      ],
    },
    {
      id: "docs-index",
      parentId: "prompt",
      rationale: "browsing the docs folder should land on the README",
      toolCalls: [{ tool: "create_symlink", input: { path: "docs/README.md", target: "../README.md" } }],
    },
    {
      id: "drop-npmrc",
      parentId: "prompt",
      rationale: "its settings only serve maintainers, who have them in their own configuration",
      toolCalls: [{ tool: "delete_file", input: { path: ".npmrc" } }],
    },
    {
      id: "look-again",
      parentId: "rename-module",
      rationale: "make sure that no module still names the old path",
      dependsOn: ["fix-imports-1", "fix-imports-2"],
      toolCalls: [{ tool: "search_files", input: { path: "lib", pattern: "**/*error-code*" } }],
    },
  ];
  return { name: "make the repository ready for contributors", decisionRootId: "prompt", decisions };
}

function write(path: string, content: string) {
  return { tool: "write_file", input: { path, content } };
}

/** An edit that puts text behind the last line of a file; `after` is what earlier decisions have put there. */
function append(root: string, path: string, text: string, after = "") {
  const content = readFileSync(join(root, path), "utf8") + after;
  let start = content.lastIndexOf("\n", content.length - 2) + 1;
  while (start > 0 && content.split(content.slice(start)).length > 2)
    start = content.lastIndexOf("\n", start - 2) + 1;
  const oldText = content.slice(start);
  return { tool: "edit_file", input: { path, edits: [{ oldText, newText: oldText + text }] } };
}

/** One edit for each line that names the module; a line that stands twice in a file is edited with its neighbour. */
function importEdits(text: string) {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!line.includes('error-code.ts"')) return [];
    const alone = lines.filter((other) => other.includes(line)).length === 1;
    const oldText = alone ? line : `${line}\n${lines[index + 1] ?? ""}`;
    return [{ oldText, newText: oldText.replace(/(?<![\w-])error-code\.ts"/, 'stable-error-code.ts"') }];
  });
}

/** A PNG of 16 × 16 pixels: one dark square, a lighter bar for each line of a ledger. */
function icon(): Buffer {
  const rows = Array.from({ length: 16 }, (_, y) => {
    const bar = y % 4 === 2;
    return Buffer.from([
      0,
      ...Array.from({ length: 16 }, (_, x) =>
        bar && x > 2 && x < 13 ? [240, 240, 240] : [30, 60, 90],
      ).flat(),
    ]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(16, 0);
  header.writeUInt32BE(16, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
