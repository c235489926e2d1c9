import type { Verdict } from "../access/verdict.ts";

/** An HTTP request as the gateway hands it over, its path still undivided, its body undecoded. Header names are lower case. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  readonly requestId: string;
  readonly verdict: Verdict;
}
