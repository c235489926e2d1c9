import type * as z from "zod/mini";
import { toJSONSchema } from "zod/v4/core";
import { planDocument } from "../plan/plan-document.ts";
import { planReference } from "./plan-requests.ts";
import { problemContentType, problemDocument } from "./problem-document.ts";
import type { ReplyShape, Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodMiniType, io: "input" | "output"): Json => {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

const problem = { $ref: "#/components/schemas/Problem" };
const problemReply = (description: string): Json => ({
  description,
  content: { [problemContentType]: { schema: problem } },
});

/** Statuses that a route can answer with beside its own; `default` stands for what only we can be the cause of. */
const problemReplies = (route: Route): Readonly<Record<string, Json>> => ({
  ...(route.body.takes === "none"
    ? {}
    : {
        400: problemReply("The body is no JSON document."),
        413: problemReply("The body is too large; `details.limitBytes` says what is allowed."),
        415: problemReply("The body is not application/json."),
      }),
  ...(route.scope === "none"
    ? {}
    : {
        401: problemReply("No valid token."),
        403: problemReply(`The token lacks the scope ${route.scope}.`),
        429: {
          ...problemReply("Over a quota: nothing was done, and the same request will do later."),
          headers: {
            "Retry-After": { description: "In so many seconds.", schema: { type: "integer", minimum: 1 } },
          },
        },
      }),
  ...(route.path.includes("{") ? { 404: problemReply("There is no such thing for this tenant.") } : {}),
  ...(route.method === "GET" ? {} : { 409: problemReply("Something is in the way; `details` says what.") }),
  422: problemReply("A field or parameter breaks its rule; `field` names it."),
  default: problemReply("The service failed, or a part that it needs; the request can be sent again."),
});

const replyContent = async (shape: ReplyShape): Promise<Json> => {
  switch (shape.kind) {
    case "json":
      return {
        description: shape.description,
        content: { "application/json": { schema: schemaOf(await shape.schema(), "output") } },
      };
    case "bytes":
      return { description: shape.description, content: { [shape.contentType]: {} } };
    case "empty":
      return { description: shape.description };
    default:
      return shape satisfies never;
  }
};

const pathParameters = (route: Route): readonly Json[] =>
  [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

const queryParameters = (route: Route): readonly Json[] => {
  const { properties } = schemaOf(route.query, "output");
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
};

const requestBody = (route: Route): Json => {
  if (route.body.takes === "none") return {};
  const schema =
    route.id === "plans.execute"
      ? { anyOf: [schemaOf(planDocument, "input"), schemaOf(planReference, "input")] }
      : schemaOf(route.body.schema, "input");
  return {
    requestBody: {
      required: route.body.takes === "required",
      description: `Up to ${route.body.maximumBytes} bytes.`,
      content: { "application/json": { schema } },
    },
  };
};

const operation = async (route: Route): Promise<Json> => ({
  operationId: route.id,
  summary: route.summary,
  tags: [route.id.split(".")[0]],
  ...(route.scope === "none" ? { security: [] } : { "x-scope": route.scope }),
  parameters: [...pathParameters(route), ...queryParameters(route)],
  ...requestBody(route),
  responses: {
    ...Object.fromEntries(
      await Promise.all(
        Object.entries(route.replies).map(async ([status, shape]) => [status, await replyContent(shape)]),
      ),
    ),
    ...problemReplies(route),
  },
});

/** OpenAPI 3.1 of the routes, made from the schemas that hold requests and replies to their form. */
export const openApiDocument = async (routes: readonly Route[], version: string): Promise<Json> => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: await operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Planledger",
      version,
      description: "Runs the plans of AI agents and keeps a ledger of every change they make.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "plt_<id>_<secret>, or a JWT of the OIDC issuer that the service is set to, if any",
        },
      },
      schemas: { Problem: schemaOf(problemDocument, "output") },
    },
  };
};
