import { type EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import type { PutPhaseEvent } from "./deliver-phase.ts";

/** What rules match on. */
const source = "planledger";
const detailType = "Plan phase changed";

/** Puts events onto a bus of EventBridge, one a call. What the bus refuses, and an outage of it, is an attempt that failed. */
export const eventbridgePhaseEvents =
  (options: { readonly client: EventBridgeClient; readonly busName: string }): PutPhaseEvent =>
  async ({ detail, atEpochSeconds }) => {
    try {
      const put = await options.client.send(
        new PutEventsCommand({
          Entries: [
            {
              EventBusName: options.busName,
              Source: source,
              DetailType: detailType,
              Detail: detail,
              Time: new Date(atEpochSeconds * 1000),
            },
          ],
        }),
      );
      const [entry] = put.Entries ?? [];
      if ((put.FailedEntryCount ?? 0) === 0) return { kind: "answered", status: 200 };
      return failed(entry?.ErrorCode ?? "unknown");
    } catch (fault) {
      return failed(fault instanceof Error ? fault.name : "unknown");
    }
  };

const failed = (reason: string) =>
  ({
    kind: "failed",
    code: "external_failed",
    message: `The event bus refused the event: ${reason}.`,
  }) as const;
