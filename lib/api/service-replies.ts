import * as z from "zod/mini";

/** `GET /v1/health`: the function answers; the stores are not asked. */
export const healthReply = z.strictObject({ status: z.literal("ok") });
export const versionReply = z.strictObject({ name: z.string(), version: z.string(), api: z.literal("v1") });
/** `GET /v1/keys`: the public keys under which the service signs. */
export const keysReply = z.strictObject({
  keys: z.array(
    z.strictObject({
      /** SHA-256 of the key's SPKI form in DER. */
      keyId: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
      algorithm: z.literal("Ed25519"),
      /** SPKI in PEM. */
      publicKeyPem: z.string(),
    }),
  ),
});
export type SigningKey = z.infer<typeof keysReply>["keys"][number];
export const openApiReply = z.record(z.string(), z.unknown());
