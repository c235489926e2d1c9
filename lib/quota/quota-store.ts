/** The counts of one tenant in one row: what is submitted, uploaded or requested. */
export interface MeterKey {
  readonly tenant: string;
  readonly meter: "submissions" | "content" | "requests";
}

export interface Amount {
  readonly amount: number;
  readonly limit: number;
}

/** What is to be added. A window's counts begin anew with each window; lasting ones go on until they are corrected. */
export interface Taking {
  readonly windowEpochSeconds: number;
  readonly windowed: Readonly<Record<string, Amount>>;
  readonly lasting: Readonly<Record<string, Amount>>;
}

/** The row after the taking, or as it refused it. `counts` are of the window that the row is in, and the lasting ones. */
export interface MeterRow {
  readonly windowEpochSeconds: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly correctedAtEpochSeconds?: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly row: MeterRow }
  /** Nothing was added: these counts, all of the window that the row is in or lasting ones, have reached their limits. */
  | { readonly kind: "full"; readonly full: readonly string[]; readonly row: MeterRow };

/**
 * Counts for quotas. An amount is added when no count has reached its limit before it, so the last one may pass it: a limit
 * below a single amount would refuse it for ever. A taking whose answer was lost may count twice. A window that lies
 * before the row's, by a clock that is behind, counts in the row's.
 */
export interface QuotaStore {
  /** Adds all amounts or none. */
  take(key: MeterKey, taking: Taking): Promise<Taken>;
  /** Sets a lasting count that is still `from`, and says whether it was. */
  correct(
    key: MeterKey,
    correction: {
      readonly name: string;
      readonly from: number;
      readonly to: number;
      readonly atEpochSeconds: number;
    },
  ): Promise<boolean>;
}
