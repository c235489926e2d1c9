import { createServer } from "node:http";

/** A call as it came over the wire: the operation that `X-Amz-Target` names, its input, and who signed for it. */
export interface AwsJsonCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Service and region of the signature's scope, `kms/us-east-1`. */
  readonly scope: string;
}

export type AwsJsonAnswer =
  | { readonly output: Readonly<Record<string, unknown>> }
  | { readonly fault: string };

export interface AwsJsonStub extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly AwsJsonCall[];
  /** The next calls of an operation are answered by these faults, in order, before it is carried out again. */
  script(operation: string, faults: readonly string[]): void;
}

/** A server that speaks AWS's JSON protocol on a socket, as KMS, SSM and Secrets Manager do; `answer` is the service. */
export const awsJsonStub = async (
  answer: (call: AwsJsonCall) => AwsJsonAnswer | Promise<AwsJsonAnswer>,
): Promise<AwsJsonStub> => {
  const calls: AwsJsonCall[] = [];
  const scripted = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, operation = ""] = String(request.headers["x-amz-target"] ?? "").split(".");
    const [, region = "", service = ""] =
      /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
    const call: AwsJsonCall = {
      operation,
      input: JSON.parse(Buffer.concat(chunks).toString()),
      scope: `${service}/${region}`,
    };
    calls.push(call);
    const fault = scripted.get(operation)?.shift();
    const answered = fault === undefined ? await answer(call) : { fault };
    const [status, body] =
      "output" in answered
        ? [200, answered.output]
        : [
            answered.fault.includes("Internal") ? 500 : 400,
            { __type: answered.fault, message: "by the stub" },
          ];
    response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    script: (operation, faults) => scripted.set(operation, [...faults]),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
