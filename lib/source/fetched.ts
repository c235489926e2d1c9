import { contentSha256 } from "../content/content-state.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { CatalogueAccess } from "./catalogue-access.ts";

/** Bytes of a URL that must have this hash. */
export const fetched = async (
  access: CatalogueAccess,
  asked: { readonly from: URL; readonly sha256: string; readonly limitBytes: number },
): Promise<Uint8Array> => {
  const { from, sha256, limitBytes } = asked;
  const reply = await access.get(from, { limitBytes });
  const bytes = reply.status === "found" ? reply.bytes : new Uint8Array();
  const found = contentSha256(bytes);
  if (found === sha256) return bytes;
  throw mismatch(`${from.href.slice(0, 300)} has the SHA-256 ${found}; the catalogue says ${sha256}`);
};

export const resolvedUrl = (reference: string, base: URL): URL => {
  const url = URL.parse(reference, base.href);
  if (
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === ""
  ) {
    return url;
  }
  throw new ValidationError({
    field: "url",
    message: `url must be an https address, whole or relative to the catalogue's, without credentials; it is ${JSON.stringify(reference.slice(0, 200))}.`,
  });
};

export const mismatch = (what: string): PlanledgerError =>
  new PlanledgerError({ code: "content_mismatch", message: `Nothing was taken of it: ${what}.` });
