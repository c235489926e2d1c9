import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Clock } from "#lib/run/clock.ts";
import type { SecretStore } from "#lib/secrets/secret-store.ts";
import { secretsManagerSecretStore } from "#lib/secrets/secrets-manager-secret-store.ts";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

/** Secrets of Secrets Manager whose names begin with the prefix. */
export const secretsManagerSecrets = (
  environment: AwsEnvironment,
  { prefix, clock }: { readonly prefix: string; readonly clock: Clock },
): SecretStore =>
  secretsManagerSecretStore({
    client: new SecretsManagerClient(awsClientOptions(environment, "SECRETS_MANAGER")),
    prefix,
    clock,
  });
