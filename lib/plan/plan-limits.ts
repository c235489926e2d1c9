/** The limits of a plan, each refused with `limit_exceeded` and `details { limit, found }`. */
export const planLimits = {
  decisions: 1_000_000,
  toolCallsPerDecision: 100,
  /** Of one call's input, as canonical JSON in UTF-8. */
  toolInputBytes: 256 * 1024,
  jsonDepth: 64,
  /** Larger documents go up as content and are submitted by reference. */
  inlineBodyBytes: 1024 * 1024,
  /** UTF-16 code units, as the next one. */
  nameLength: 512,
  rationaleLength: 64 * 1024,
  toolNameLength: 256,
  projectResources: 64,
  resourceBindings: 256,
} as const;

/** How many issues of one document a `ValidationError` lists. */
export const maxListedIssues = 20;

/** Decisions in one stored chunk at most, and about how many bytes (one decision alone may be larger). */
export const chunkLimits = { decisions: 256, bytes: 512 * 1024 } as const;

/** Chunks that one page of a chunked plan's index lists at most. */
export const chunksPerPage = 256;

/** A plan whose decisions take up to this many bytes of canonical JSON keeps them inline. */
export const inlineDecisionsBytes = 64 * 1024;
