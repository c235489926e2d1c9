import type { AcceptedReply } from "../api/plan-replies.ts";
import { resumePaused } from "../run/control-run.ts";
import { type ControlOrder, type ControlPlanPorts, controlled } from "./control-plan.ts";

/** Lets a paused run go on. */
export const resume = (ports: ControlPlanPorts, order: ControlOrder): Promise<AcceptedReply> =>
  controlled(ports, order, async (key, by) => ({
    frontier: await resumePaused(key, by, ports),
    message: `Plan ${key.planId} goes on.`,
  }));
