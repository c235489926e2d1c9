import { resolve } from "node:path";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { type UploadedTree, uploadTree } from "#lib/client/upload-tree.ts";
import { recoverDirectory } from "./files/recover-directory.ts";
import { sourceTree } from "./files/source-tree.ts";
import { shownPath } from "./print-safely.ts";
import { counted } from "./render/counted.ts";
import { progressBar } from "./render/progress-bar.ts";
import type { Session } from "./session.ts";

/** Uploads what the service lacks of a directory, named from the session's on, with a progress bar, and says on stderr what that was. */
export async function uploadDirectory(
  { session, client }: { readonly session: Session; readonly client: PlanledgerClient },
  named: string,
): Promise<UploadedTree> {
  const directory = resolve(session.cwd, named);
  await recoverDirectory(session, directory);
  const { files, leftOut } = await sourceTree(directory, named);
  for (const path of leftOut) {
    session.stderr.write(`left out ${shownPath(path)}: neither a file nor a symbolic link\n`);
  }
  const bar = progressBar(session.stderr);
  try {
    const uploaded = await uploadTree({
      client,
      files,
      signal: session.signal,
      onProgress: ({ stage, done, total }) => bar.show({ label: `files, ${stage}`, done, total }),
    });
    bar.end();
    const { fileCount, sentContents, sentBytes } = uploaded;
    session.stderr.write(
      sentContents === 0
        ? `${counted(fileCount, "file")}, all known to the service\n`
        : `${counted(fileCount, "file")}, ${sentContents} sent (${Math.ceil(sentBytes / 1024)} KiB)\n`,
    );
    return uploaded;
  } finally {
    bar.end();
  }
}
