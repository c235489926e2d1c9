import { wholeLanded } from "./disposition.ts";
import type { Frontier } from "./frontier.ts";
import type { Phase } from "./phase.ts";

/**
 * A phase as the API tells it. A cancel that waits for an external call is still running; an apply under way is `applying`,
 * and one that landed all of the changeset `applied`; whatever else came of the changeset leaves the phase of the run's end.
 */
export const phaseOf = ({ state, disposition }: Pick<Frontier, "state" | "disposition">): Phase => {
  switch (state.phase) {
    case "cancelling":
      return "running";
    case "submitted":
    case "running":
    case "paused":
      return state.phase;
    case "completed":
    case "failed":
    case "cancelled":
      if (disposition?.apply !== undefined) return "applying";
      return wholeLanded(disposition) === undefined ? state.phase : "applied";
    default:
      return state satisfies never;
  }
};
