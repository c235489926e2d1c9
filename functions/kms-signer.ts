import { KMSClient } from "@aws-sdk/client-kms";
import { kmsSigner } from "#lib/run/kms-signer.ts";
import type { Signer } from "#lib/run/signer.ts";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

/** Signs in KMS, in the region that the key's ARN names. */
export const wireKmsSigner = (environment: AwsEnvironment, keyArn: string): Promise<Signer> => {
  const region = keyArn.split(":")[3] ?? environment.AWS_REGION;
  return kmsSigner({
    client: new KMSClient(awsClientOptions({ ...environment, AWS_REGION: region }, "KMS")),
    keyArn,
  });
};
