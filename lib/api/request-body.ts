import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { ApiRequest } from "./api-request.ts";
import type { BodyShape } from "./route.ts";

const isJson = (contentType: string): boolean => {
  const mediaType = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  return mediaType === "application/json" || /^application\/[a-z0-9.-]+\+json$/.test(mediaType);
};

/**
 * The JSON value of a request's body, read strictly (`parseStrictJson`), not yet held to a schema. Throws `body_too_large`
 * with the limit, `unsupported_media_type`, and `malformed_json`; a body where the route takes none is ignored.
 */
export const requestBody = (request: ApiRequest, shape: BodyShape): unknown => {
  if (shape.takes === "none") return undefined;
  const { body, headers } = request;
  if (body.byteLength > shape.maximumBytes) {
    throw new PlanledgerError({
      code: "body_too_large",
      message: `The body has ${body.byteLength} bytes; this route takes up to ${shape.maximumBytes}. Upload large things as content first and send their hash.`,
      details: { limitBytes: shape.maximumBytes, sizeBytes: body.byteLength },
    });
  }
  if (body.byteLength === 0) {
    if (shape.takes === "optional") return {};
    throw new ValidationError({
      code: "malformed_json",
      field: "",
      message: "The body is empty; this route needs a JSON document.",
    });
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new PlanledgerError({
      code: "unsupported_media_type",
      message: `A body with Content-Encoding ${encoding.slice(0, 100)} is not taken; send the JSON as it is.`,
      details: { field: "content-encoding", allowed: ["identity"] },
    });
  }
  const contentType = headers["content-type"];
  if (contentType === undefined || !isJson(contentType)) {
    throw new PlanledgerError({
      code: "unsupported_media_type",
      message: `The body must be application/json${contentType === undefined ? "; send a Content-Type header" : ""}.`,
      details: { allowed: ["application/json"] },
    });
  }
  return parseStrictJson(body);
};
