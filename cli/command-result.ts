import type { Paint } from "./paint.ts";

/**
 * What a command came to. `json` is the one document of `--json`; `text` what a person reads, or bytes as they are.
 * `failed`: the work failed (exit code 1), though the command has something to show.
 */
export interface CommandResult {
  readonly json: () => unknown;
  readonly text: (paint: Paint) => string | AsyncIterable<string | Uint8Array>;
  readonly failed?: boolean;
}
