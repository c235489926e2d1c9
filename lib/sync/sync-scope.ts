import { ValidationError } from "../errors/planledger-error.ts";
import { type ResourceKind, resourceKinds } from "../resource/resource-store.ts";
import { allowedValue, notAllowed } from "./allowed-value.ts";

export type SyncScopeFlags = Readonly<Partial<Record<ResourceKind, boolean>>>;

/**
 * Which kinds are synced. Without flags all four are; with flags, those that are `true`. A scope of nothing, an unknown
 * flag, or one that is no boolean is a `ValidationError` that lists the kinds. Immutable.
 */
export class SyncScope {
  /** In the order actions, skills, tools, projects, whatever the order of the flags. */
  readonly activeKinds: readonly ResourceKind[];

  constructor(flags?: SyncScopeFlags) {
    this.activeKinds = Object.freeze(flags === undefined ? [...resourceKinds] : activeKinds(flags));
    Object.freeze(this);
  }

  /** The scope of these kinds, as a command line names them. */
  static of(kinds: readonly string[]): SyncScope {
    return new SyncScope(
      Object.fromEntries(kinds.map((kind) => [allowedValue("scope", kind, resourceKinds), true])),
    );
  }

  has(kind: ResourceKind): boolean {
    return this.activeKinds.includes(kind);
  }
}

function activeKinds(flags: unknown): ResourceKind[] {
  if (typeof flags !== "object" || flags === null || Array.isArray(flags)) {
    throw notAllowed("scope", flags, resourceKinds);
  }
  for (const [flag, value] of Object.entries(flags)) {
    allowedValue("scope", flag, resourceKinds);
    if (typeof value !== "boolean" && value !== undefined) {
      throw new ValidationError({ field: `scope.${flag}`, message: `scope.${flag} must be true or false.` });
    }
  }
  const active = resourceKinds.filter((kind) => Reflect.get(flags, kind) === true);
  if (active.length > 0) return active;
  throw new ValidationError({
    field: "scope",
    message: `scope must have at least one of ${resourceKinds.join(", ")} on: nothing would be synced.`,
    details: { allowed: resourceKinds },
  });
}
