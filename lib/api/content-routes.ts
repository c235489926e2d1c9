import {
  directoryJson,
  missingReply,
  missingRequest,
  packReply,
  packRequest,
  uploadReply,
  uploadRequest,
} from "./content-requests.ts";
import { noQuery } from "./page-query.ts";
import { json, jsonBody, noBody, packBodyMaximumBytes, route } from "./route.ts";

export const findMissingContent = route({
  id: "content.missing",
  method: "POST",
  path: "/v1/content/missing",
  scope: "resources:write",
  summary: "Which of these contents and directories does this tenant's store lack? Up to 5,000 hashes.",
  query: noQuery,
  body: jsonBody(missingRequest),
  replies: { 200: json("The ones to upload.", missingReply) },
});
export const putContentPack = route({
  id: "content.packs",
  method: "POST",
  path: "/v1/content/packs",
  scope: "resources:write",
  summary: "Store contents and directories, up to 4 MiB of body. Directories come after what they name.",
  query: noQuery,
  body: jsonBody(packRequest, { maximumBytes: packBodyMaximumBytes }),
  replies: { 200: json("Hashes in the order given.", packReply) },
});
export const startContentUpload = route({
  id: "content.uploads",
  method: "POST",
  path: "/v1/content/uploads",
  scope: "resources:write",
  summary: "A presigned PUT for one large content; it is verified when something first refers to it.",
  query: noQuery,
  body: jsonBody(uploadRequest),
  replies: { 200: json("Where and how to PUT the bytes.", uploadReply) },
});
export const readDirectory = route({
  id: "content.directory",
  method: "GET",
  path: "/v1/content/directories/{sha256}",
  scope: "resources:read",
  summary: "One directory of a tree, by its SHA-256.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The directory.", directoryJson) },
});
export const readContent = route({
  id: "content.get",
  method: "GET",
  path: "/v1/content/{sha256}",
  scope: "resources:read",
  summary:
    "Content by its SHA-256. Above 4 MiB the answer is a redirect to where the bytes can be had for a while.",
  query: noQuery,
  body: noBody,
  replies: {
    200: { kind: "bytes", contentType: "application/octet-stream", description: "The bytes." },
    307: { kind: "empty", description: "Large content: `Location` holds the bytes for five minutes." },
  },
});
