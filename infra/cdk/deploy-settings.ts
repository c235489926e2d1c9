import type { App } from "aws-cdk-lib";
import * as z from "zod/mini";
import { quotaDocument } from "#lib/quota/quota-document.ts";
import { submissionCaller } from "#lib/submission/submission-queues.ts";

const text = z.string().check(z.minLength(1));
const flag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(["true", "false"]),
    z.transform((value) => value === "true"),
  ),
]);
const integer = z.union([z.int(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))]);

const fromJson = z.pipe(
  z.string(),
  z.transform((value) => {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }),
);
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

/** What a deploy is told by context (`-c name=value`, or `cdk.json`). Unknown names are other tools' and are left alone. */
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
  logRetentionDays: z._default(integer, 30),
  /** Keep table, bucket and keys when the stack is deleted. */
  retainData: z._default(flag, true),
  /** Alarms and the dashboard; off for endpoints that lack them. */
  alarms: z._default(flag, true),
  /** The service's own metrics (docs/reference/observability.md); CloudWatch bills each by the month. */
  metrics: z._default(flag, true),
  /** Where the signing key lives: `kms` (it never leaves it), or `parameter:NAME`, an SSM SecureString with a PEM. */
  signing: z._default(z.string().check(z.regex(/^(kms|parameter:.+)$/)), "kms"),
  /** Hosts that tools may reach although their addresses are not public: `HOST` or `HOST:PORT`, separated by commas. */
  allowedHosts: z._default(text, "none"),
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
  submissionQueues: z.optional(z.union([submissionQueueList, z.pipe(fromJson, submissionQueueList)])),
  /** Minimum event pollers of the decisions queue (provisioned mode); absent: on demand. */
  provisionedPollers: z.optional(integer),
  /** OIDC issuer whose JWTs are taken beside tokens. */
  jwtIssuer: z.optional(z.url({ protocol: /^https$/ })),
  jwtAudience: z.optional(text),
  /** The claims of those JWTs that name the tenant and the principal. */
  jwtTenantClaim: z._default(text, "tenant"),
  jwtPrincipalClaim: z._default(text, "sub"),
  /** What tenants may use (`quota-document.ts`); absent: the defaults; `none`: no limits. */
  quotas: z._default(z.union([z.literal("none"), quotaDocument, z.pipe(fromJson, quotaDocument)]), () =>
    quotaDocument.parse({}),
  ),
});
export type DeploySettings = z.output<typeof settings>;

/** The keys of the context that a deploy reads. */
export const deploySettingNames: readonly string[] = Object.keys(settings.shape);

/** Reads the settings from the app's context; throws with the name of the one that is wrong and what it may be. */
export function deploySettings(app: App): DeploySettings {
  const given = deploySettingNames.map((name) => [name, app.node.tryGetContext(name)] as const);
  const result = z.safeParse(settings, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (result.success && result.data.jwtIssuer !== undefined && result.data.jwtAudience === undefined) {
    throw new Error("The context of this deploy is wrong: jwtAudience: must be given with jwtIssuer.");
  }
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new Error(`The context of this deploy is wrong: ${problems.join("; ")}.`);
}
