import * as z from "zod/mini";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits"));

/** A directory on the wire: entries in git's order; `gitId` is the blob's or the subtree's SHA-1. */
export const directoryJson = z.strictObject({
  entries: z.array(
    z.discriminatedUnion("kind", [
      z.strictObject({
        kind: z.literal("file"),
        name: z.string(),
        mode: z.enum(["100644", "100755", "120000"]),
        sha256: hash,
        sizeBytes: z.int().check(z.nonnegative()),
        gitId: z.string(),
      }),
      z.strictObject({ kind: z.literal("directory"), name: z.string(), sha256: hash, gitId: z.string() }),
    ]),
  ),
});

/** `POST /v1/content/missing`: which of these does this tenant's store lack? Up to 5,000 hashes in all. */
export const missingRequest = z.strictObject({ contents: z.array(hash), directories: z.array(hash) });
export const missingReply = z.strictObject({ contents: z.array(hash), directories: z.array(hash) });

/** `POST /v1/content/packs` (≤ 4 MiB of body): contents as base64; directories after the contents and subdirectories they name. */
export const packRequest = z.strictObject({
  contents: z.array(z.string()),
  directories: z.array(directoryJson),
});
export const packReply = z.strictObject({ contents: z.array(hash), directories: z.array(hash) });

/** `POST /v1/content/uploads`: for content above a pack's size; PUT the bytes to `url` with exactly `headers`. */
export const uploadRequest = z.strictObject({ sha256: hash, sizeBytes: z.int().check(z.positive()) });
export const uploadReply = z.strictObject({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  expiresAt: z.string(),
});
