import * as z from "zod/mini";
import { isIssuerUrl } from "#lib/access/is-issuer-url.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { quotaDocument } from "#lib/quota/quota-document.ts";
import { submissionQueues } from "#lib/submission/submission-queues.ts";

/** Variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const name = z.string().check(z.minLength(1));
const url = z.url();

const aws = z.object({
  AWS_REGION: z._default(name, "us-east-1"),
  AWS_ENDPOINT_URL: z.optional(url),
  AWS_ENDPOINT_URL_DYNAMODB: z.optional(url),
  AWS_ENDPOINT_URL_S3: z.optional(url),
  AWS_ENDPOINT_URL_SQS: z.optional(url),
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.optional(url),
  AWS_ENDPOINT_URL_KMS: z.optional(url),
  AWS_ENDPOINT_URL_SSM: z.optional(url),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.optional(url),
  AWS_ACCESS_KEY_ID: z.optional(name),
  AWS_SECRET_ACCESS_KEY: z.optional(name),
  AWS_SESSION_TOKEN: z.optional(name),
});
export type AwsEnvironment = z.output<typeof aws>;

const common = z.object({
  ...aws.shape,
  PLANLEDGER_VERSION: z._default(name, "0.0.0"),
  PLANLEDGER_CHECK_REPLIES: z._default(z.enum(["true", "false"]), "false"),
});

/** What functions read of their environment; each takes only what it needs. */
export const describeEnvironment = common;
export const tableEnvironment = z.object({ ...common.shape, TABLE_NAME: name });
export const storeEnvironment = z.object({ ...tableEnvironment.shape, BUCKET_NAME: name });
/**
 * Of what moves runs. `PHASE_LISTENERS`: `webhooks` where phases are told to tenants' webhooks alone, `all` where every phase
 * goes onto an event bus too.
 */
const announcing = z.object({
  PHASES_QUEUE_URL: url,
  PHASE_LISTENERS: z.enum(["webhooks", "all"]),
});
export type AnnouncingEnvironment = z.output<typeof announcing>;
export const runEnvironment = z.object({
  ...storeEnvironment.shape,
  ...announcing.shape,
  DECISIONS_QUEUE_URL: url,
});
const applies = { APPLIES_QUEUE_URL: url };
/** What sends runs and applies on their way. */
const deliveries = { DELIVERIES_QUEUE_URL: url };
const runsAndApplies = z.object({ ...runEnvironment.shape, ...applies });
export const reconcileEnvironment = z.object({ ...runsAndApplies.shape, ...deliveries });
export const announceEnvironment = z.object({
  ...tableEnvironment.shape,
  ...deliveries,
  PHASE_LISTENERS: announcing.shape.PHASE_LISTENERS,
});
/**
 * `SIGNING_KEY` is `file:PATH` of an Ed25519 private key in PEM, `kms:ARN` of an asymmetric KMS key, or `parameter:NAME` of an
 * SSM SecureString with such a PEM.
 */
const signing = {
  SIGNING_KEY: z.string().check(z.regex(/^(?:file:.+|parameter:.+|kms:arn:[^:]+:kms:[^:]+:\d{12}:key\/.+)$/)),
};
/** Of what signs, whatever else it does. */
export const signingKeyEnvironment = z.object({ ...aws.shape, ...signing });
export const signingEnvironment = z.object({ ...runEnvironment.shape, ...signing });
export const applyWorkerEnvironment = z.object({
  ...storeEnvironment.shape,
  ...announcing.shape,
  ...applies,
  ...signing,
});
/** A setting `KIND:PLACE`, taken apart at its first colon; without one it is a kind alone. */
export const settingParts = (text: string): readonly [kind: string, place: string] => {
  const [kind = "", ...rest] = text.split(":");
  return [kind, rest.join(":")];
};
/** A list in one variable, separated by commas; `none` is an empty one. */
export const settingEntries = (text: string): readonly string[] => (text === "none" ? [] : text.split(","));

const areHosts = (text: string): boolean => {
  try {
    allowedHosts(settingEntries(text));
    return true;
  } catch {
    return false;
  }
};
/**
 * For tools that run elsewhere. `TOOL_ALLOWED_HOSTS`: hosts that may be reached although their addresses are not public,
 * `HOST` or `HOST:PORT`. `TOOL_SECRETS`: `file:PATH` of a private JSON file of secrets, or `secrets-manager:PREFIX` of their
 * names in AWS Secrets Manager (`secret-id.ts`). Either may be `none`.
 */
const outside = z.object({
  TOOL_ALLOWED_HOSTS: z.string().check(z.refine(areHosts)),
  TOOL_SECRETS: z.string().check(z.regex(/^(?:none|file:.+|secrets-manager:[A-Za-z0-9/_+=.@-]{1,200})$/)),
});
export type OutsideEnvironment = z.output<typeof outside>;
export const webhookEnvironment = z.object({ ...tableEnvironment.shape, ...outside.shape });
/** `EVENT_BUS`: the name of the bus that every phase goes onto, or `none`. */
export const deliverEnvironment = z.object({ ...webhookEnvironment.shape, ...deliveries, EVENT_BUS: name });
/** What asks for runs of sync sources, and what carries them out. */
const sources = { SOURCES_QUEUE_URL: url };
export const scheduleEnvironment = z.object({ ...storeEnvironment.shape, ...sources });
export const tickEnvironment = z.object({ ...runEnvironment.shape, ...sources });
export const sourceWorkerEnvironment = z.object({ ...storeEnvironment.shape, ...outside.shape });
/** Of a function that runs no tool. */
export const nowhereOutside: OutsideEnvironment = { TOOL_ALLOWED_HOSTS: "none", TOOL_SECRETS: "none" };
/**
 * The authorizer's. `JWT_ISSUER`: an OIDC issuer, as its JWTs have it in `iss` (HTTPS, HTTP only on this machine), or `none`;
 * `JWT_AUDIENCE`: what they must have in `aud`; the claims: which of theirs name the tenant and the principal.
 */
export const authorizerEnvironment = z
  .object({
    ...tableEnvironment.shape,
    JWT_ISSUER: z.string().check(z.refine((text) => text === "none" || isIssuerUrl(text))),
    JWT_AUDIENCE: name,
    JWT_TENANT_CLAIM: name,
    JWT_PRINCIPAL_CLAIM: name,
  })
  .check(
    z.refine(({ JWT_ISSUER, JWT_AUDIENCE }) => JWT_ISSUER === "none" || JWT_AUDIENCE !== "none", {
      path: ["JWT_AUDIENCE"],
    }),
  );
/** What decides about changesets, and sends runs and applies on. */
export const decidingEnvironment = z.object({ ...runsAndApplies.shape, ...signing });
const asJson = z.pipe(
  z.string(),
  z.transform((text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }),
);
/** `SUBMISSION_QUEUES`: a JSON object of the queues and for whom each speaks (`submission-queues.ts`). */
export const submissionsEnvironment = z.object({
  ...runEnvironment.shape,
  SUBMISSION_QUEUES: z.pipe(asJson, submissionQueues),
});
/** `QUOTAS`: a JSON object of limits (`quota-document.ts`); `{}` for the defaults, `none` for no limits. */
export const quotaEnvironment = z.object({
  QUOTAS: z.union([z.literal("none"), z.pipe(asJson, quotaDocument)]),
});
/** What moves runs, and sends the applies that follow them. */
export const workerEnvironment = z.object({ ...decidingEnvironment.shape, ...outside.shape });

export type AuthorizerEnvironment = z.output<typeof authorizerEnvironment>;
export type TableEnvironment = z.output<typeof tableEnvironment>;
export type StoreEnvironment = z.output<typeof storeEnvironment>;
export type RunEnvironment = z.output<typeof runEnvironment>;
export type SigningKeyEnvironment = z.output<typeof signingKeyEnvironment>;
export type SigningEnvironment = z.output<typeof signingEnvironment>;
export type ApplyWorkerEnvironment = z.output<typeof applyWorkerEnvironment>;

/**
 * The variables as the schema knows them, or a `ValidationError` that names the one at fault; never its value. One that is
 * empty is not set, as for the SDK.
 */
export const readEnvironment = <Schema extends z.ZodMiniType>(
  schema: Schema,
  environment: Environment,
): z.output<Schema> => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = z.safeParse(schema, set);
  if (result.success) return result.data;
  const names = [...new Set(result.error.issues.map(({ path }) => String(path[0])))];
  throw new ValidationError({
    field: names[0] ?? "environment",
    message: `Environment variables are missing or wrong: ${names.join(", ")}.`,
    details: { variables: names },
  });
};
