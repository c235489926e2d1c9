import { readFileSync } from "node:fs";
import { ed25519Signer } from "#lib/run/ed25519-signer.ts";
import type { Signer } from "#lib/run/signer.ts";
import { type SigningKeyEnvironment, settingParts } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

/**
 * The signer that `SIGNING_KEY` names. A file is read at once; KMS and SSM, with their clients, at the first use, and then kept
 * for as long as the process lives.
 */
export const wireSigner = (environment: SigningKeyEnvironment): Signer => {
  const [kind, place] = settingParts(environment.SIGNING_KEY);
  switch (kind) {
    case "kms":
      return lateSigner(async () => (await import("./kms-signer.ts")).wireKmsSigner(environment, place));
    case "parameter":
      return lateSigner(async () =>
        (await import("./parameter-signer.ts")).wireParameterSigner(environment, place),
      );
    default:
      return ed25519Signer(readFileSync(place, "utf8"));
  }
};

const lateSigner = (load: () => Promise<Signer>): Signer => {
  const signer = loadedOnce(load);
  return {
    sign: async (bytes) => (await signer()).sign(bytes),
    publicKey: async () => (await signer()).publicKey(),
  };
};
