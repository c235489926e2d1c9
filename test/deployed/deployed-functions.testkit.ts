import assert from "node:assert/strict";
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { awsClientOptions } from "#functions/aws-clients.ts";
import { deployment, eventually, settings } from "./deployed-service.testkit.ts";

const lambda = new LambdaClient({ ...awsClientOptions(settings, "SQS"), endpoint: deployment.endpointUrl });

const functionName = (name: string): string => `${deployment.stackName}-${name}`;

/** Stops the event source of a function, or starts it again, and waits until it has. */
export async function consume(name: string, isConsuming: boolean): Promise<void> {
  const wanted = isConsuming ? "Enabled" : "Disabled";
  const mapping = async () => {
    const found = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: functionName(name) }));
    assert.equal(found.EventSourceMappings?.length, 1, name);
    return found.EventSourceMappings[0];
  };
  await lambda.send(
    new UpdateEventSourceMappingCommand({ UUID: (await mapping())?.UUID, Enabled: isConsuming }),
  );
  await eventually(`${name} is ${wanted}`, async () =>
    (await mapping())?.State === wanted ? true : undefined,
  );
}

/** Gives a function variables that are wrong, as a bad deploy does; answers what gives it the right ones back. */
export async function misconfigure(
  name: string,
  wrong: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const FunctionName = functionName(name);
  const found = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const right = found.Environment?.Variables ?? {};
  const set = async (variables: Readonly<Record<string, string>>) => {
    await lambda.send(
      new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: variables } }),
    );
    await eventually(`${name} is updated`, async () => {
      const now = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      return now.LastUpdateStatus === "InProgress" ? undefined : true;
    });
  };
  await set({ ...right, ...wrong });
  return () => set(right);
}
