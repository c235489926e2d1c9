/** A tool call of a decision: the tool's name and its input, a JSON object. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A strategy decision in plan order. `dependsOn` holds ordinals, each below `ordinal`. */
export interface CompiledDecision {
  /** 0-based position in plan order: again and again the ready decision that stands lowest in the list. */
  readonly ordinal: number;
  readonly id: string;
  readonly parentId?: string;
  readonly rationale?: string;
  readonly dependsOn: readonly number[];
  readonly toolCalls: readonly ToolCall[];
}

/** A project resource with its base pinned. `baseTree` addresses a directory in the tree store. */
export interface PinnedResource {
  readonly name: string;
  /** `namespace/name` of the synced project, where there is one. */
  readonly project?: string;
  /** The project's revision number that was pinned, where there is one. */
  readonly revision?: number;
  readonly baseTree: string;
  readonly access: "read" | "write";
}

/** A synced tool that a plan calls, as it was when the plan was accepted: later edits of the tool change nothing for it. */
export interface PinnedTool {
  /** As the plan's calls name it. */
  readonly name: string;
  /** `namespace/name` of the synced tool. */
  readonly id: string;
  readonly revision: number;
  /** Of the tool's revision. */
  readonly contentSha256: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

export type AutomationProfile = "manual" | "review" | "auto";

/** A run of consecutive decisions of a plan; `sha256` addresses the content that holds them, or a page that lists their chunks. */
export interface DecisionChunk {
  readonly firstOrdinal: number;
  readonly count: number;
  readonly sha256: string;
}

/**
 * What the worker runs: everything of the document but the decisions, which lie in chunks of at most 256 in the content
 * store, or inline when the whole is small. The chunks are listed in pages, content too, so that the 100,000th decision
 * loads what the first did and the plan's record stays small. Read decisions through `decisionSource`.
 */
export interface CompiledPlan {
  readonly name?: string;
  readonly decisionRootId?: string;
  readonly automationProfile: AutomationProfile;
  readonly resources: readonly PinnedResource[];
  /** Further names of resources: binding to resource name. */
  readonly resourceBindings: Readonly<Record<string, string>>;
  /** By name; left out when all of the plan's tools are built in. */
  readonly tools?: readonly PinnedTool[];
  readonly decisionCount: number;
  readonly decisions:
    | { readonly kind: "inline"; readonly decisions: readonly CompiledDecision[] }
    /** A page is the JSON array of up to 256 `DecisionChunk`s; `idsSha256` holds the JSON array of all decision ids in plan order. */
    | { readonly kind: "chunked"; readonly pages: readonly DecisionChunk[]; readonly idsSha256: string };
}

/** The action that a plan's document was made from. */
export interface PlanSource {
  /** `namespace/name`. */
  readonly action: string;
  readonly revision: number;
  /** Of the action's revision. */
  readonly contentSha256: string;
  /** Of what was asked for: the same request again is this plan, also after the action was edited. */
  readonly requestSha256: string;
}

/** A plan as accepted; written once, never changed. */
export interface PlanRecord {
  readonly v: 1;
  readonly tenant: string;
  readonly planId: string;
  /** `pln_` and a ULID. */
  readonly serverPlanId: string;
  readonly documentSha256: string;
  readonly submittedBy: string;
  readonly submittedAtEpochMs: number;
  readonly source?: PlanSource;
  readonly plan: CompiledPlan;
}
