import type { Environment } from "#functions/environment.ts";
import { startEmulators } from "./emulators/start-emulators.ts";

/** Where the AWS services are, as variables for the SDK's clients. */
export interface AwsEndpoints {
  readonly environment: Environment;
  readonly sqsEndpoint: string;
  stop(): Promise<void>;
}

const stubCredentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

/** Starts the emulators; they end with `stop`, or with this process. */
export const emulatedEndpoints = async (dataDir: string | undefined): Promise<AwsEndpoints> => {
  const emulators = await startEmulators(dataDir === undefined ? {} : { dataDir });
  return {
    environment: {
      ...stubCredentials,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamodbEndpoint,
      AWS_ENDPOINT_URL_SQS: emulators.sqsEndpoint,
      AWS_ENDPOINT_URL_S3: emulators.s3Endpoint,
    },
    sqsEndpoint: emulators.sqsEndpoint,
    stop: () => emulators.stop(),
  };
};

/**
 * An endpoint that somebody else runs. Region, credentials and endpoints of single services come from the given variables;
 * credentials stand in where there are none.
 */
export const givenEndpoints = (endpointUrl: string, variables: Environment): AwsEndpoints => {
  const taken = Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith("AWS_")));
  return {
    environment: { ...stubCredentials, AWS_REGION: "us-east-1", ...taken, AWS_ENDPOINT_URL: endpointUrl },
    sqsEndpoint: variables.AWS_ENDPOINT_URL_SQS ?? endpointUrl,
    async stop() {},
  };
};
