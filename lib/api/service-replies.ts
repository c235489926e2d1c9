import * as z from "zod/mini";

/** `GET /v1/health`: the function answers; the stores are not asked. */
export const healthReply = z.strictObject({ status: z.literal("ok") });
export const versionReply = z.strictObject({ name: z.string(), version: z.string(), api: z.literal("v1") });
export const openApiReply = z.record(z.string(), z.unknown());
