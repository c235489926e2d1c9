import type { Verdict } from "./verdict.ts";

/** The verdict on a JWT; throws an `InfrastructureError` when its issuer's keys cannot be had. */
export type JudgeJwt = (jwt: string) => Promise<Verdict>;

/** For a service that takes no JWTs: what is no token of its own is malformed. */
export const noJwts: JudgeJwt = async () => ({ kind: "denied", denial: "malformed" });
