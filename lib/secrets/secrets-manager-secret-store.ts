import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { Clock } from "../run/clock.ts";
import { translateFault } from "../table/translate-fault.ts";
import { secretId } from "./secret-id.ts";
import type { SecretStore } from "./secret-store.ts";

/** For how long a value that was read is used again: a rotated secret counts after this at the latest. */
export const secretCacheSeconds = 30;
/** More are read anew, the oldest first. */
const cachedMaximum = 1_000;

interface Cached {
  readonly readAtEpochMs: number;
  readonly value: Promise<string | undefined>;
}

/**
 * Secrets in AWS Secrets Manager, named as `secretId` says; the current version's text. Values are kept for 30 s; that a
 * secret is absent, and failures, are not kept. Throttles and outages are retried by the SDK, then an `InfrastructureError`;
 * a refusal, or a secret that is no text, is `secret_unavailable`, without the service's own words, which name accounts.
 */
export function secretsManagerSecretStore(options: {
  readonly client: SecretsManagerClient;
  readonly prefix: string;
  readonly clock: Clock;
}): SecretStore {
  const { client, prefix, clock } = options;
  const cache = new Map<string, Cached>();
  const drop = (id: string, cached: Cached): void => {
    if (cache.get(id) === cached) cache.delete(id);
  };
  return {
    async get(key) {
      const id = secretId(prefix, key);
      if (id === undefined) return undefined;
      const standing = cache.get(id);
      if (standing !== undefined && clock.now() - standing.readAtEpochMs < secretCacheSeconds * 1000) {
        return standing.value;
      }
      const cached: Cached = { readAtEpochMs: clock.now(), value: read(client, id, key.name) };
      cache.delete(id);
      cache.set(id, cached);
      const [oldest] = cache.keys();
      if (cache.size > cachedMaximum && oldest !== undefined) cache.delete(oldest);
      try {
        const value = await cached.value;
        if (value === undefined) drop(id, cached);
        return value;
      } catch (fault) {
        drop(id, cached);
        throw fault;
      }
    },
  };
}

const read = async (client: SecretsManagerClient, id: string, name: string): Promise<string | undefined> => {
  let text: string | undefined;
  try {
    ({ SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: id })));
  } catch (fault) {
    if (!(fault instanceof Error)) throw fault;
    if (fault.name === "ResourceNotFoundException") return undefined;
    const remedy = remedies[fault.name];
    if (remedy === undefined) throw translateFault(fault, `read the secret ${name}`);
    throw unusable(name, `${fault.name}. ${remedy}`, fault);
  }
  if (text === undefined) throw unusable(name, "it holds bytes, not a text.");
  return text;
};

const remedies: Readonly<Record<string, string>> = {
  AccessDeniedException:
    "Grant the function's role secretsmanager:GetSecretValue on it, and kms:Decrypt where a key of your own encrypts it.",
  DecryptionFailure: "Grant the function's role kms:Decrypt on the key that encrypts it.",
  InvalidRequestException: "It is marked for deletion, or has no current version.",
};

const unusable = (name: string, problem: string, cause?: unknown): PlanledgerError =>
  new PlanledgerError({
    code: "secret_unavailable",
    message: `Secrets Manager does not give the secret ${name}: ${problem}`,
    cause,
  });
