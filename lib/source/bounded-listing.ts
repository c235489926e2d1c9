import { PlanledgerError } from "../errors/planledger-error.ts";
import type { SyncTransport } from "../sync/sync-transport.ts";

/** What a source may list: rows, tombstones included, and pages, of which some may be empty. */
export const listingLimits = { rows: 200_000, pages: 2_000 } as const;

/** The transport with a listing that comes to an end: beyond `listingLimits` it is `limit_exceeded`, whatever cursors it gives. */
export const boundedListing = (transport: SyncTransport): SyncTransport => {
  const listed = { rows: 0, pages: 0 };
  return {
    ...transport,
    async list(query) {
      const page = await transport.list(query);
      listed.rows += page.rows.length;
      listed.pages += 1;
      const { rows, pages } = listingLimits;
      if (listed.rows <= rows && listed.pages <= pages) return page;
      throw new PlanledgerError({
        code: "limit_exceeded",
        message: `The source lists more than a sync source may: ${rows} items, those deleted included, in ${pages} pages. Narrow it by scope.`,
        details: { limit: rows },
      });
    },
  };
};
