import * as z from "zod/mini";
import type { Scope } from "../access/token-store.ts";

/**
 * What a route answers under one status: JSON held to a schema, or bytes of a media type, or nothing. Schemas of replies are
 * loaded where they are asked for: a function that answers needs none.
 */
export type ReplyShape =
  | { readonly kind: "json"; readonly schema: () => Promise<z.ZodMiniType>; readonly description: string }
  | { readonly kind: "bytes"; readonly contentType: string; readonly description: string }
  | { readonly kind: "empty"; readonly description: string };

/** What a route takes as its body. An `optional` one may be left out and is `{}` then; with `none` it is `undefined`. */
export interface BodyShape<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly takes: "none" | "optional" | "required";
  readonly schema: Schema;
  readonly maximumBytes: number;
}

/**
 * One route as data: it drives routing, validation and OpenAPI. `scope: "none"` needs no token. `query` is a strict object;
 * a parameter it does not know is refused.
 */
export interface Route<
  Query extends z.ZodMiniType = z.ZodMiniType,
  Body extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly scope: Scope | "none";
  readonly summary: string;
  readonly query: Query;
  readonly body: BodyShape<Body>;
  readonly replies: Readonly<Record<number, ReplyShape>>;
}

/** Keeps the types of a route's query and body. */
export const route = <Query extends z.ZodMiniType, Body extends z.ZodMiniType>(
  definition: Route<Query, Body>,
): Route<Query, Body> => definition;

export const noBody = { takes: "none", schema: z.undefined(), maximumBytes: 0 } as const;

const mebibyte = 1024 * 1024;
export const inlineBodyMaximumBytes = mebibyte;
export const packBodyMaximumBytes = 4 * mebibyte;

export const jsonBody = <Schema extends z.ZodMiniType>(
  schema: Schema,
  options: { readonly optional?: boolean; readonly maximumBytes?: number } = {},
): BodyShape<Schema> => ({
  takes: options.optional === true ? "optional" : "required",
  schema,
  maximumBytes: options.maximumBytes ?? inlineBodyMaximumBytes,
});

export const json = (
  description: string,
  schema: z.ZodMiniType | (() => Promise<z.ZodMiniType>),
): ReplyShape => ({
  kind: "json",
  schema: typeof schema === "function" ? schema : async () => schema,
  description,
});
