import { createHash, timingSafeEqual } from "node:crypto";

/** A token as its bearer sends it: `plt_<id>_<secret>`, the id a ULID, the secret 32 random bytes in base64url. */
export interface TokenText {
  readonly id: string;
  readonly secret: string;
}

/** What every token begins with, and no JWT can: JSON in base64url begins with `e`. */
export const tokenMark = "plt_";

const pattern = /^plt_([0-9A-HJKMNP-TV-Z]{26})_([A-Za-z0-9_-]{43})$/;

export const isTokenId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);

export const formatToken = ({ id, secret }: TokenText): string => `plt_${id}_${secret}`;

export const parseToken = (text: string): TokenText | undefined => {
  const found = pattern.exec(text);
  return found?.[1] === undefined || found[2] === undefined ? undefined : { id: found[1], secret: found[2] };
};

/** Lower-case hex. A secret of 256 random bits needs no salt and no slow hash. */
export const secretSha256 = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Compares in constant time. */
export const isSecretOf = (secret: string, storedSha256: string): boolean => {
  const given = Buffer.from(secretSha256(secret), "hex");
  const stored = Buffer.from(storedSha256, "hex");
  return given.length === stored.length && timingSafeEqual(given, stored);
};
