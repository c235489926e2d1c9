/** Where to PUT bytes, with exactly these headers, until then. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtEpochMs: number;
}

/**
 * Large content on its way around the functions, for one tenant. What is uploaded is only staged, and expires, until
 * something refers to it: `admit` then verifies it and takes it into the content store.
 */
export interface ContentTransfer {
  uploadTarget(content: { readonly sha256: string; readonly sizeBytes: number }): Promise<UploadTarget>;
  /**
   * Takes staged bytes into the content store; `false` when none are staged. Bytes with another hash are a `ValidationError`
   * (`content_mismatch`).
   */
  admit(sha256: string): Promise<boolean>;
  /** An address from which the bytes can be had for a few minutes, without a token. */
  downloadUrl(sha256: string): Promise<string>;
}
