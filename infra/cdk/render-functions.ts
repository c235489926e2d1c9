import { ArnFormat, Duration, RemovalPolicy, type Stack, Validations } from "aws-cdk-lib";
import { Effect, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { CfnBucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { openRunsIndex } from "#lib/table/table-definition.ts";
import { submissionQueuesDocument } from "../submission-queues.ts";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";
import type { RenderedStorage } from "./render-storage.ts";

export interface FunctionParts extends RenderedStorage {
  readonly queues: ReadonlyMap<string, Queue>;
  readonly signing: { readonly value: string; readonly key?: IKey; readonly parameterArn?: string };
  readonly codeOf: (entry: string) => Code;
  readonly version: string;
}

const tableActions = ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"].map(
  (action) => `dynamodb:${action}`,
);
const objectActions = ["s3:GetObject", "s3:PutObject"];

/**
 * One function per entry of the topology, each with a role of its own that allows what its variables name and no more: the
 * table, the bucket's objects, sending to a queue, signing.
 */
export function renderFunctions(
  stack: Stack,
  { topology, settings }: { readonly topology: Topology; readonly settings: DeploySettings },
  parts: FunctionParts,
): ReadonlyMap<string, LambdaFunction> {
  const sources = environmentSources(stack, { topology, settings }, parts);
  const content = parts.bucket.node.defaultChild;
  const contentId = content instanceof CfnBucket ? stack.getLogicalId(content) : "";
  return new Map(
    Object.entries(topology.functions).map(
      ([name, { entry, memoryMegabytes, timeoutSeconds, environment }]) => {
        const logGroup = new LogGroup(stack, `${name}Logs`, {
          logGroupName: `/planledger/${settings.name}/${name}`,
          retention: settings.logRetentionDays satisfies number as RetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        });
        const role = new Role(stack, `${name}Role`, {
          assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
        });
        logGroup.grantWrite(role);
        const variables = environment.map((variable) => {
          const source = sources[variable];
          if (source === undefined)
            throw new Error(`Function ${name} wants ${variable}, which the stack does not know.`);
          for (const statement of source.statements) role.addToPolicy(statement);
          return [variable, source.value] as const;
        });
        const made = new LambdaFunction(stack, name, {
          functionName: `${settings.name}-${name}`,
          code: parts.codeOf(entry),
          handler: "index.handler",
          runtime: Runtime.NODEJS_24_X,
          architecture: Architecture.ARM_64,
          memorySize: memoryMegabytes,
          timeout: Duration.seconds(timeoutSeconds),
          role,
          logGroup,
          loggingFormat: LoggingFormat.JSON,
          tracing: Tracing.ACTIVE,
          environment: {
            ...Object.fromEntries(variables),
            NODE_OPTIONS: "--enable-source-maps",
            PLANLEDGER_VERSION: parts.version,
            ...(settings.metrics ? { PLANLEDGER_METRICS_SERVICE: settings.name } : {}),
          },
        });
        Validations.of(role).acknowledge(
          {
            id: "AwsSolutions-IAM5[Resource::*]",
            reason: "X-Ray's PutTraceSegments and PutTelemetryRecords take no resource.",
          },
          {
            id: `AwsSolutions-IAM5[Resource::<${contentId}.Arn>/*]`,
            reason: "Objects are named by tenant and hash; the function serves all of the bucket's.",
          },
          {
            id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${secretsPrefixOf(settings)}*]`,
            reason: "Secrets of tools are named by tenant, under a prefix that holds nothing else.",
          },
        );
        return [name, made] as const;
      },
    ),
  );
}

const secretsPrefixOf = ({ name, secretsPrefix }: DeploySettings): string => secretsPrefix ?? `${name}/`;

const secretArns = (stack: Stack, prefix: string): string =>
  stack.formatArn({
    service: "secretsmanager",
    resource: "secret",
    resourceName: `${prefix}*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

interface Source {
  readonly value: string;
  readonly statements: readonly PolicyStatement[];
}

/** What each variable holds, and what a function that has it may do. */
function environmentSources(
  stack: Stack,
  { topology, settings }: { readonly topology: Topology; readonly settings: DeploySettings },
  { table, bucket, queues, signing }: FunctionParts,
): Readonly<Record<string, Source>> {
  const allow = (actions: readonly string[], resources: readonly string[]): PolicyStatement =>
    new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [...resources] });
  const queueSource = (name: string): Source => {
    const queue = queues.get(name);
    if (queue === undefined) throw new Error(`The topology has no queue ${name}.`);
    return {
      value: queue.queueUrl,
      statements: [allow(["sqs:SendMessage"], [queue.queueArn])],
    };
  };
  const secretsPrefix = secretsPrefixOf(settings);
  const submissionsSource = (): Source => {
    const made = new Set<Queue>();
    const document = submissionQueuesDocument(topology, (name) => {
      const queue = queues.get(name);
      if (queue === undefined) throw new Error(`The topology has no queue ${name}.`);
      made.add(queue);
      return { url: queue.queueUrl, physicalName: `${settings.name}-${name}` };
    });
    return {
      value: stack.toJsonString(document),
      statements:
        made.size === 0
          ? []
          : [
              allow(
                ["sqs:SendMessage"],
                [...made].map(({ queueArn }) => queueArn),
              ),
            ],
    };
  };
  return {
    TABLE_NAME: {
      value: table.tableName,
      statements: [
        allow(tableActions, [table.tableArn]),
        allow(["dynamodb:Query"], [`${table.tableArn}/index/${openRunsIndex.name}`]),
      ],
    },
    BUCKET_NAME: {
      value: bucket.bucketName,
      statements: [
        allow(objectActions, [`${bucket.bucketArn}/*`]),
        allow(["s3:ListBucket"], [bucket.bucketArn]),
      ],
    },
    DECISIONS_QUEUE_URL: queueSource("decisions"),
    APPLIES_QUEUE_URL: queueSource("applies"),
    SUBMISSION_QUEUES: submissionsSource(),
    PHASES_QUEUE_URL: queueSource("phases"),
    DELIVERIES_QUEUE_URL: queueSource("deliveries"),
    SOURCES_QUEUE_URL: queueSource("sources"),
    PHASE_LISTENERS: { value: settings.eventBus === "none" ? "webhooks" : "all", statements: [] },
    EVENT_BUS: {
      value: settings.eventBus,
      statements:
        settings.eventBus === "none"
          ? []
          : [
              allow(
                ["events:PutEvents"],
                [
                  stack.formatArn({
                    service: "events",
                    resource: "event-bus",
                    resourceName: settings.eventBus,
                  }),
                ],
              ),
            ],
    },
    TOOL_ALLOWED_HOSTS: { value: settings.allowedHosts, statements: [] },
    TOOL_SECRETS:
      secretsPrefix === "none"
        ? { value: "none", statements: [] }
        : {
            value: `secrets-manager:${secretsPrefix}`,
            statements: [allow(["secretsmanager:GetSecretValue"], [secretArns(stack, secretsPrefix)])],
          },
    ...Object.fromEntries(
      Object.entries({
        JWT_ISSUER: settings.jwtIssuer ?? "none",
        JWT_AUDIENCE: settings.jwtAudience ?? "none",
        JWT_TENANT_CLAIM: settings.jwtTenantClaim,
        JWT_PRINCIPAL_CLAIM: settings.jwtPrincipalClaim,
        QUOTAS: settings.quotas === "none" ? "none" : JSON.stringify(settings.quotas),
      }).map(([name, value]) => [name, { value, statements: [] }]),
    ),
    SIGNING_KEY: {
      value: signing.value,
      statements: [
        ...(signing.key === undefined ? [] : [allow(["kms:Sign", "kms:GetPublicKey"], [signing.key.keyArn])]),
        ...(signing.parameterArn === undefined ? [] : [allow(["ssm:GetParameter"], [signing.parameterArn])]),
      ],
    },
  };
}
