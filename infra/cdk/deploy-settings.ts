import type { App } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as z from "zod/mini";
import { isIssuerUrl } from "#lib/access/is-issuer-url.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { validationIssues } from "#lib/errors/validation-issue.ts";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { type QuotaDocument, quotaDocument } from "#lib/quota/quota-document.ts";
import { submissionCaller } from "#lib/submission/submission-queues.ts";

const text = z.string().check(z.minLength(1));
const flag = z.union(
  [
    z.boolean(),
    z.pipe(
      z.enum(["true", "false"]),
      z.transform((value) => value === "true"),
    ),
  ],
  "must be true or false",
);
const integer = z.union(
  [z.int(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))],
  "must be a whole number",
);
/** All but the one that stands for "for ever". */
const retentionDays = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const areHosts = (list: string): boolean => {
  if (list === "none") return true;
  try {
    allowedHosts(list.split(","));
    return true;
  } catch {
    return false;
  }
};
const submissionQueueList = z.array(
  z.strictObject({
    name: z
      .string()
      .check(
        z.regex(/^[a-z][A-Za-z0-9]{2,39}$/, "must be 3 to 40 letters and digits, the first a small one"),
      ),
    ...submissionCaller.shape,
  }),
);

/** What a deploy is told by context (`-c name=value`, or `cdk.json`). */
const settings = z.object({
  /** Goes before every name; a second service in the account needs another. */
  name: z._default(
    z.string().check(z.regex(/^[a-z][a-z0-9-]{2,19}$/, "must be 3 to 20 of a-z, 0-9 and -")),
    "planledger",
  ),
  /** Of the code, for records and `/v1/version`; the package's unless given. */
  version: z.optional(
    z.string().check(z.regex(/^[\w.+-]{1,64}$/, "must be 1 to 64 letters, digits and any of . + - _")),
  ),
  /** Days that logs are kept. */
  logRetentionDays: z._default(
    integer.check(
      z.refine(
        (days) => retentionDays.some((one) => Number(one) === days),
        `must be one of ${retentionDays.join(", ")}`,
      ),
    ),
    30,
  ),
  /** Keep table, bucket and keys when the stack is deleted. */
  retainData: z._default(flag, true),
  /** Alarms and the dashboard; off for endpoints that lack them. */
  alarms: z._default(flag, true),
  /** The service's own metrics (docs/reference/observability.md); CloudWatch bills each by the month. */
  metrics: z._default(flag, true),
  /** Where the signing key lives: `kms` (it never leaves it), or `parameter:NAME`, an SSM SecureString with a PEM. */
  signing: z._default(
    z.string().check(z.regex(/^(kms|parameter:.+)$/, "must be kms or parameter:NAME")),
    "kms",
  ),
  /** Hosts that tools may reach although their addresses are not public: `HOST` or `HOST:PORT`, separated by commas. */
  allowedHosts: z._default(
    z.string().check(z.refine(areHosts, "must be HOST or HOST:PORT, with commas between, or none")),
    "none",
  ),
  /** Of the names of tools' secrets in Secrets Manager; `none`: tools have none; absent: the service's name and `/`. */
  secretsPrefix: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9/_+=.@-]{1,200}$/, "must be 1 to 200 letters, digits or /_+=.@-")),
  ),
  /** A bus of EventBridge that is there (`default`, or its name) and gets every change of a plan's phase; `none`: none does. */
  eventBus: z._default(
    z.string().check(z.regex(/^[A-Za-z0-9._/-]{1,256}$/, "must be the name of an event bus, or 'none'")),
    "none",
  ),
  /** Queues that take submissions, each for one tenant and principal; absent: the topology's own. */
  submissionQueues: z.optional(submissionQueueList),
  /** Minimum event pollers of the decisions queue (provisioned mode); absent: on demand. */
  provisionedPollers: z.optional(
    integer.check(z.refine((pollers) => pollers >= 2 && pollers <= 200, "must be 2 to 200")),
  ),
  /** OIDC issuer whose JWTs are taken beside tokens. */
  jwtIssuer: z.optional(
    z
      .string()
      .check(
        z.refine(
          (url) => isIssuerUrl(url) && url.startsWith("https:"),
          "must be an https URL without query and fragment",
        ),
      ),
  ),
  jwtAudience: z.optional(text),
  /** The claims of those JWTs that name the tenant and the principal. */
  jwtTenantClaim: z._default(text, "tenant"),
  jwtPrincipalClaim: z._default(text, "sub"),
  /** What tenants may use (`quota-document.ts`); absent: the defaults; `none`: no limits. */
  quotas: z._default(quotaDocument, () => quotaDocument.parse({})),
});
const settingsWithoutLimits = z.extend(settings, { quotas: z.literal("none") });
export type DeploySettings = Omit<z.output<typeof settings>, "quotas"> & {
  readonly quotas: QuotaDocument | "none";
};

/** The keys of the context that a deploy reads. */
export const deploySettingNames: readonly string[] = Object.keys(settings.shape);

/**
 * Reads the settings from the app's context. Throws a `ValidationError` that names each that is wrong and what it may be.
 * A name of letters alone that is no setting is one of them: left alone, a slip of the pen would deploy something else.
 * Names with other characters are the CDK's and other tools'.
 */
export function deploySettings(app: App): DeploySettings {
  const given = Object.fromEntries(
    deploySettingNames.flatMap((name): readonly (readonly [string, unknown])[] => {
      const value: unknown = app.node.tryGetContext(name);
      return value === undefined ? [] : [[name, decoded(name, value)]];
    }),
  );
  const schema = given.quotas === "none" ? settingsWithoutLimits : settings;
  const result = z.safeParse(schema, given);
  const problems = [
    ...validationIssues(result.error?.issues ?? [], { value: given, schema }).map(
      ({ field, message }) => `${field.slice(1)} ${message}`,
    ),
    ...("jwtIssuer" in given === "jwtAudience" in given ? [] : ["jwtIssuer and jwtAudience go together"]),
    ...unknownNames(app).map((name) => `${name} is no setting (there: ${deploySettingNames.join(", ")})`),
  ];
  if (result.success && problems.length === 0) return result.data;
  throw new ValidationError({
    field: "context",
    message: `The context of this deploy is wrong: ${problems.join("; ")}.`,
  });
}

const unknownNames = (app: App): readonly string[] =>
  Object.keys(app.node.getAllContext()).filter(
    (name) => /^[A-Za-z]+$/.test(name) && !deploySettingNames.includes(name),
  );

/** What is no text comes as JSON from `-c`, and as it is from `cdk.json`. */
function decoded(name: string, value: unknown): unknown {
  if (typeof value !== "string" || !(name === "submissionQueues" || name === "quotas")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
