import { SSMClient } from "@aws-sdk/client-ssm";
import { parameterSigner } from "#lib/run/parameter-signer.ts";
import type { Signer } from "#lib/run/signer.ts";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

/** Signs with the key that an SSM parameter holds. */
export const wireParameterSigner = (environment: AwsEnvironment, name: string): Promise<Signer> =>
  parameterSigner({ client: new SSMClient(awsClientOptions(environment, "SSM")), name });
