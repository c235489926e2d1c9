import type { Frontier } from "./frontier.ts";
import type { Sealing } from "./frontier-move.ts";
import { sealStatementBytes } from "./seal-statement.ts";
import type { Signer } from "./signer.ts";

/** A run's last frontier, under its signature. */
export async function signSealing(sealing: Sealing, signer: Pick<Signer, "sign">): Promise<Frontier> {
  return sealing.signed(await signer.sign(sealStatementBytes(sealing.statement)));
}
