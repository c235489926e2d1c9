import { planledgerClient } from "../client/planledger-client.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { GuardedClient } from "../outbound/guarded-client.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { outboundFetch } from "../outbound/outbound-fetch.ts";
import type { OutboundPorts } from "../outbound/outbound-ports.ts";
import { requireSecure } from "../outbound/require-secure.ts";
import type { IdSource } from "../run/clock.ts";
import { type SecretStore, secretMinimumChars } from "../secrets/secret-store.ts";
import { boundedListing } from "../source/bounded-listing.ts";
import { catalogueAccess } from "../source/catalogue-access.ts";
import { catalogueSide } from "../source/catalogue-side.ts";
import { openCatalogue } from "../source/open-catalogue.ts";
import type { SourceBases } from "../source/source-bases.ts";
import type { SourceSide } from "../source/source-side.ts";
import type { SeenCatalogue, SyncSource } from "../source/sync-source.ts";
import { httpSyncTransport } from "../sync/http-sync-transport.ts";
import type { SyncBaseStore } from "../sync/sync-base-store.ts";

/** A reply holds one file at the most, or a batch of items. */
const replyLimitBytes = 17 * 1024 * 1024;

export interface OpenSidePorts {
  readonly outbound: OutboundPorts;
  readonly ids: IdSource;
  readonly random: () => number;
  readonly delay: (milliseconds: number) => Promise<void>;
}

export type OpenedSide =
  | { readonly kind: "unchanged" }
  | { readonly kind: "open"; readonly side: SourceSide; readonly seen: SeenCatalogue | undefined };

/** The other side of a source's sync, ready to be listed; or word that nothing changed there. */
export async function openSourceSide(
  ports: OpenSidePorts,
  opening: {
    readonly source: SyncSource;
    readonly token: string | undefined;
    readonly client: GuardedClient;
    readonly bases: Pick<SyncBaseStore, "load">;
    readonly documents: Pick<SourceBases, "documents" | "rememberDocuments">;
    /** Aborted when the run has to end; and here, when the other side can never be reached. */
    readonly ending: AbortController;
    readonly onRequest: () => void;
    /** Documents that were read and need not be again. */
    readonly onRemembered: (documents: number) => void;
  },
): Promise<OpenedSide> {
  const { source, token, client, ending, onRequest } = opening;
  const { from, tenant, sourceId } = source;
  const { signal } = ending;
  switch (from.kind) {
    case "service": {
      requireSecure(new URL(from.url), ports.outbound.allowedHosts);
      const fetchOutside = outboundFetch({ client, limitBytes: replyLimitBytes, signal });
      const service = planledgerClient({
        url: from.url,
        token: token ?? "",
        ids: ports.ids,
        random: ports.random,
        async delay(milliseconds) {
          signal.throwIfAborted();
          await ports.delay(milliseconds);
          signal.throwIfAborted();
        },
        async fetch(input, init) {
          signal.throwIfAborted();
          onRequest();
          try {
            return await fetchOutside(input, init);
          } catch (error) {
            // The client would try again what is refused for good.
            if (error instanceof OutboundError && error.code !== "external_failed") ending.abort(error);
            throw error;
          }
        },
      });
      const { directory, get } = service.content;
      return {
        kind: "open",
        seen: undefined,
        side: {
          transport: boundedListing(httpSyncTransport({ client: service })),
          trees: {
            directory: (sha256) => directory(sha256, signal),
            content: (sha256) => get(sha256, signal),
          },
          faults: [],
        },
      };
    }
    case "catalogue": {
      const url = new URL(from.url);
      const place = { tenant, sourceId };
      const access = catalogueAccess({
        ...{ client, token, signal, onRequest },
        allowedHosts: ports.outbound.allowedHosts,
        catalogue: url,
      });
      const opened = await openCatalogue({
        ...{ access, url },
        kinds: source.rules.scope,
        seen: source.seen,
        known: await opening.documents.documents(place),
        async remember(found) {
          await opening.documents.rememberDocuments(place, found);
          opening.onRemembered(found.size);
        },
      });
      if (opened.kind === "unchanged") return opened;
      const side = catalogueSide({ contents: opened.contents, bases: opening.bases, access, url });
      return { kind: "open", side, seen: opened.seen };
    }
    default:
      return from satisfies never;
  }
}

/** The token that a source names, as it is now. */
export async function sourceToken(
  secrets: SecretStore,
  { tenant, name, from }: Pick<SyncSource, "tenant" | "name" | "from">,
): Promise<string | undefined> {
  if (from.token === undefined) return undefined;
  const secret = from.token.slice("secret:".length);
  const asked = `The sync source ${name} needs the secret ${secret}`;
  const found = await readSecret(secrets, { tenant, name: secret, asked });
  if (found === undefined) {
    throw new PlanledgerError({
      code: "secret_missing",
      message: `${asked}, which the operator of the service has not set for this tenant; nothing was sent.`,
      details: { secret },
    });
  }
  if (found.length >= secretMinimumChars && /^[\x21-\x7e]+$/.test(found)) return found;
  throw new PlanledgerError({
    code: "secret_unavailable",
    message: `${asked}, which cannot be a token: it must have at least ${secretMinimumChars} characters, all of printable ASCII without blanks; nothing was sent.`,
    details: { secret },
  });
}

const readSecret = async (
  secrets: SecretStore,
  { asked, ...key }: { readonly tenant: string; readonly name: string; readonly asked: string },
): Promise<string | undefined> => {
  try {
    return await secrets.get(key);
  } catch (cause) {
    const reason = cause instanceof PlanledgerError ? ` ${cause.message}` : "";
    throw new PlanledgerError({
      code: "secret_unavailable",
      message: `${asked}, which cannot be read now; nothing was sent.${reason}`,
      details: { secret: key.name },
      cause,
    });
  }
};
