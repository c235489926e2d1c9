import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import type { PutPhaseEvent } from "#lib/webhook/deliver-phase.ts";
import { eventbridgePhaseEvents } from "#lib/webhook/eventbridge-phase-events.ts";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

/** Events on a bus of EventBridge. */
export const eventbridgeEvents = (environment: AwsEnvironment, busName: string): PutPhaseEvent =>
  eventbridgePhaseEvents({
    client: new EventBridgeClient(awsClientOptions(environment, "EVENTBRIDGE")),
    busName,
  });
