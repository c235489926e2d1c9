/** Of an OIDC issuer whose JWTs can be trusted: HTTPS without query and fragment; plain HTTP on this machine alone. */
export const isIssuerUrl = (text: string): boolean =>
  URL.canParse(text) &&
  /^https:\/\/[^?#]+$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/[^?#]*)?$/.test(text);
