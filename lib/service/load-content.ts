import { ValidationError } from "../errors/planledger-error.ts";
import type { TenantStores } from "./tenant-stores.ts";

/** Content that something refers to for the first time; what is only staged is taken in. `undefined`: there is none. */
export const loadContent = async (
  { content, transfer }: Pick<TenantStores, "content" | "transfer">,
  sha256: string,
): Promise<Uint8Array | undefined> => {
  const bytes = await content.get(sha256);
  if (bytes !== undefined) return bytes;
  return (await transfer.admit(sha256)) ? content.get(sha256) : undefined;
};

/** What a request refers to is not in the tenant's store: it says what to upload. */
export const contentMissing = (
  field: string,
  lacking: { readonly contents: readonly string[]; readonly directories: readonly string[] },
): ValidationError =>
  new ValidationError({
    code: "content_missing",
    field,
    message: `${field} refers to what was not uploaded: ${[...lacking.contents, ...lacking.directories].slice(0, 3).join(", ")}${lacking.contents.length + lacking.directories.length > 3 ? ", …" : ""}. Upload it (POST /v1/content/packs or /v1/content/uploads), then send this again.`,
    details: { contents: lacking.contents, directories: lacking.directories },
  });
