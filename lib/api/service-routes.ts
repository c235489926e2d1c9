import { noQuery, pageQuery } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";
import { healthReply, keysReply, openApiReply, versionReply } from "./service-replies.ts";
import { tokenCreatedReply, tokenListReply, tokenRequest } from "./token-requests.ts";

export const readHealth = route({
  id: "service.health",
  method: "GET",
  path: "/v1/health",
  scope: "none",
  summary: "Does the service answer?",
  query: noQuery,
  body: noBody,
  replies: { 200: json("It does.", healthReply) },
});
export const readVersion = route({
  id: "service.version",
  method: "GET",
  path: "/v1/version",
  scope: "none",
  summary: "Version of the service and of its API.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The versions.", versionReply) },
});
export const readKeys = route({
  id: "service.keys",
  method: "GET",
  path: "/v1/keys",
  scope: "none",
  summary:
    "Public keys of the signatures over ledgers. Keep a copy: a verification is worth as much as its key.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The keys.", keysReply) },
});
export const readOpenApi = route({
  id: "service.openapi",
  method: "GET",
  path: "/v1/openapi.json",
  scope: "none",
  summary: "This description.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("OpenAPI 3.1.", openApiReply) },
});
export const createToken = route({
  id: "tokens.create",
  method: "POST",
  path: "/v1/tokens",
  scope: "tokens:write",
  summary: "Create a token of this tenant. The token itself is told only here.",
  query: noQuery,
  body: jsonBody(tokenRequest),
  replies: { 201: json("The token.", tokenCreatedReply) },
});
export const listTokens = route({
  id: "tokens.list",
  method: "GET",
  path: "/v1/tokens",
  scope: "tokens:write",
  summary: "Tokens of this tenant, without their secrets.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of tokens.", tokenListReply) },
});
export const revokeToken = route({
  id: "tokens.revoke",
  method: "DELETE",
  path: "/v1/tokens/{tokenId}",
  scope: "tokens:write",
  summary: "Revoke a token; the authorizer may remember it for up to 60 seconds.",
  query: noQuery,
  body: noBody,
  replies: { 204: { kind: "empty", description: "Revoked." } },
});
