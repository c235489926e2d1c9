import { contentSha256 } from "../../content/content-state.ts";

/** Names that Windows takes as devices, whatever stands behind a dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const maximumBytes = 180;

/**
 * What the file, or the folder of a skill, of an item that comes from the service is called: the second part of its id, behind the
 * namespace unless that is `local`. Names that a disk could refuse or hide are changed, and ones that are too long
 * cut. `distinct` gives the name for where another item has the first one: with a piece of the id's hash.
 */
export function itemFileName(id: string, { distinct }: { readonly distinct: boolean }): string {
  const [namespace = "", name = ""] = id.split("/", 2);
  const plain = (namespace === "local" ? name : `${namespace}.${name}`)
    .replace(/^\./, "_")
    .replace(/\.$/, "_")
    .replace(device, "_$&");
  const hash = contentSha256(Buffer.from(id)).slice(0, 8);
  const cut = cutTo(plain, maximumBytes);
  return distinct || cut !== plain ? `${cut}-${hash}` : plain;
}

function cutTo(text: string, bytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > bytes) cut = [...cut].slice(0, -1).join("");
  return cut;
}
