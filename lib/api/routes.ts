import * as applies from "./apply-routes.ts";
import * as content from "./content-routes.ts";
import { itemRoutes, readProjectRevision } from "./item-routes.ts";
import * as plans from "./plan-routes.ts";
import * as resources from "./resource-routes.ts";
import type { Route } from "./route.ts";
import * as schedules from "./schedule-routes.ts";
import * as service from "./service-routes.ts";
import * as sources from "./source-routes.ts";
import * as sync from "./sync-routes.ts";
import * as webhooks from "./webhook-routes.ts";

/** Every route of the API. Where two paths match, the one that stands first wins. */
export const routes: readonly Route[] = [
  ...Object.values(plans),
  ...Object.values(applies),
  ...Object.values(content),
  ...Object.values(resources),
  readProjectRevision,
  ...Object.values(itemRoutes).flatMap((ofKind) => Object.values(ofKind)),
  ...Object.values(sync),
  ...Object.values(sources),
  ...Object.values(schedules),
  ...Object.values(webhooks),
  ...Object.values(service),
];
