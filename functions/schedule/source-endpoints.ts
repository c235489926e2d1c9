import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import { type Endpoint, endpoint } from "#lib/api/endpoint.ts";
import { timedName } from "#lib/api/schedule-requests.ts";
import * as routes from "#lib/api/source-routes.ts";
import type { TimedKey } from "#lib/schedule/timed-record.ts";
import {
  type ChangeSourcePorts,
  requestSourceRun,
  saveSource,
  sendWord,
} from "#lib/service/change-source.ts";
import { changeTimed, deleteTimed, readTimed } from "#lib/service/change-timed-record.ts";
import { sourceReplyOf, sourceRunReplyOf } from "#lib/service/source-reply.ts";
import { pausedSource } from "#lib/source/source-moves.ts";
import type { SourceRunStore } from "#lib/source/source-run-store.ts";
import type { SyncSource } from "#lib/source/sync-source.ts";
import { timedKey, writtenTimedKey } from "./path-name.ts";

const listing = "sources";
const noun = "sync source";

export interface SourcePorts extends ChangeSourcePorts {
  readonly runs: SourceRunStore;
}

/** Sync sources of the caller's tenant. */
export const sourceEndpoints = (ports: SourcePorts): readonly Endpoint[] => {
  const { sources, runs, clock } = ports;
  const replyOf = (source: SyncSource, status = 200): ApiReply =>
    jsonReply(status, sourceReplyOf(source, clock.now()));
  const paused = (key: TimedKey, value: boolean): Promise<SyncSource> =>
    changeTimed(sources, {
      ...{ noun, key },
      move: (standing) =>
        standing.paused === value ? undefined : pausedSource(standing, value, clock.now()),
    });
  return [
    endpoint(routes.listSources, async ({ caller, query }) => {
      const page = await sources.list({
        tenant: caller.tenant,
        limit: query.limit ?? 50,
        ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, timedName) }),
      });
      return jsonReply(200, {
        sources: page.records.map((source) => sourceReplyOf(source, clock.now())),
        ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
      });
    }),
    endpoint(routes.readSource, async (request) =>
      replyOf(await readTimed(sources, noun, timedKey(request, noun))),
    ),
    endpoint(routes.readSourceRuns, async (request) => {
      const { tenant, sourceId } = await readTimed(sources, noun, timedKey(request, noun));
      return jsonReply(200, { runs: (await runs.list({ tenant, sourceId })).map(sourceRunReplyOf) });
    }),
    endpoint(routes.putSource, async (request) => {
      const { name } = writtenTimedKey(request);
      const order = { caller: request.caller, name, body: request.body };
      const { record, created } = await saveSource(ports, order);
      return replyOf(record, created ? 201 : 200);
    }),
    endpoint(routes.deleteSource, async (request) => {
      await deleteTimed(sources, noun, timedKey(request, noun));
      return { status: 204, body: { kind: "empty" } };
    }),
    endpoint(routes.runSourceNow, async (request) =>
      replyOf(await requestSourceRun(ports, timedKey(request, noun)), 202),
    ),
    endpoint(routes.pauseSource, async (request) => replyOf(await paused(timedKey(request, noun), true))),
    endpoint(routes.resumeSource, async (request) => {
      const source = await paused(timedKey(request, noun), false);
      await sendWord(ports, source);
      return replyOf(source);
    }),
  ];
};
