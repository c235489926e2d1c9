import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

/** An HTTP request as the listener read it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they stood in the request line. */
  readonly target: string;
  /** Names and values alternate, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly requestId: string;
  readonly atEpochMs: number;
}

export interface RoutedTo {
  readonly routeKey: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

const isText = (contentType: string): boolean =>
  /^(text\/|application\/(json|xml|javascript|x-www-form-urlencoded)|application\/[a-z0-9.-]+\+(json|xml))/i.test(
    contentType,
  );

/** Repeated headers are joined by commas, names in lower case, as API Gateway does it. */
export const joinedHeaders = (rawHeaders: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before},${value}`;
  }
  return headers;
};

const joinedQuery = (query: string): Record<string, string> => {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const before = joined[name];
    joined[name] = before === undefined ? value : `${before},${value}`;
  }
  return joined;
};

/** The event of API Gateway's payload format 2.0; bodies that are not text come in base64. */
export const httpEvent = (request: ReceivedRequest, routed: RoutedTo, authorizer: unknown) => {
  const { headers, rawPath, rawQueryString, queryStringParameters } = requestParts(request);
  const isBase64Encoded = !(isText(headers["content-type"] ?? "application/json") && isUtf8(request.body));
  return {
    version: "2.0",
    routeKey: routed.routeKey,
    rawPath,
    rawQueryString,
    headers: { "x-amzn-trace-id": newTraceHeader(request), ...headers },
    ...(queryStringParameters === undefined ? {} : { queryStringParameters }),
    ...(routed.pathParameters === undefined ? {} : { pathParameters: routed.pathParameters }),
    requestContext: {
      ...requestContext(request, routed.routeKey, headers),
      ...(authorizer === undefined ? {} : { authorizer: { lambda: authorizer } }),
    },
    ...(request.body.byteLength === 0
      ? {}
      : { body: request.body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
};

/** The gateway begins a trace where the caller has not: the form has seconds since the epoch and 96 bits of its own. */
const newTraceHeader = ({ atEpochMs, requestId }: ReceivedRequest): string => {
  const seconds = Math.floor(atEpochMs / 1000);
  const own = createHash("sha256").update(requestId).digest("hex").slice(0, 24);
  return `Root=1-${seconds.toString(16).padStart(8, "0")}-${own}`;
};

/** The event of a Lambda authorizer of payload format 2.0: the request without its body. */
export const authorizerEvent = (request: ReceivedRequest, routed: RoutedTo) => {
  const { headers, rawPath, rawQueryString, queryStringParameters } = requestParts(request);
  const { authorization } = headers;
  return {
    version: "2.0",
    type: "REQUEST",
    routeArn: `arn:aws:execute-api:us-east-1:000000000000:local/$default/${request.method}${rawPath}`,
    identitySource: authorization === undefined ? [] : [authorization],
    routeKey: routed.routeKey,
    rawPath,
    rawQueryString,
    headers,
    ...(queryStringParameters === undefined ? {} : { queryStringParameters }),
    ...(routed.pathParameters === undefined ? {} : { pathParameters: routed.pathParameters }),
    requestContext: requestContext(request, routed.routeKey, headers),
  };
};

const requestParts = (request: ReceivedRequest) => {
  const { path, query } = dividedTarget(request.target);
  return {
    headers: joinedHeaders(request.rawHeaders),
    rawPath: path,
    rawQueryString: query,
    queryStringParameters: query === "" ? undefined : joinedQuery(query),
  };
};

/** Path and query of a request target; of an absolute one (a proxy's) only what follows the host counts. */
export const dividedTarget = (target: string): { readonly path: string; readonly query: string } => {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const mark = local.indexOf("?");
  return mark === -1
    ? { path: local, query: "" }
    : { path: local.slice(0, mark), query: local.slice(mark + 1) };
};

const requestContext = (
  request: ReceivedRequest,
  routeKey: string,
  headers: Readonly<Record<string, string>>,
) => ({
  accountId: "000000000000",
  apiId: "local",
  domainName: headers.host ?? "localhost",
  domainPrefix: "local",
  http: {
    method: request.method,
    path: dividedTarget(request.target).path,
    protocol: "HTTP/1.1",
    sourceIp: request.sourceIp,
    userAgent: headers["user-agent"] ?? "",
  },
  requestId: request.requestId,
  routeKey,
  stage: "$default",
  time: new Date(request.atEpochMs).toISOString(),
  timeEpoch: request.atEpochMs,
});
