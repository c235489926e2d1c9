import { Duration, RemovalPolicy, type Stack, Validations } from "aws-cdk-lib";
import {
  CfnStage,
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";

/** The HTTP API: a route for each of the topology's, one authorizer, access logs without bodies or tokens. */
export function renderApi(
  stack: Stack,
  { topology, settings }: { readonly topology: Topology; readonly settings: DeploySettings },
  functions: ReadonlyMap<string, LambdaFunction>,
): HttpApi {
  const functionOf = (name: string): LambdaFunction => {
    const found = functions.get(name);
    if (found === undefined) throw new Error(`The topology has no function ${name}.`);
    return found;
  };
  const api = new HttpApi(stack, "Api", { apiName: settings.name });
  const authorizer = new HttpLambdaAuthorizer("Authorizer", functionOf(topology.authorizer.function), {
    responseTypes: [HttpLambdaResponseType.SIMPLE],
    resultsCacheTtl: Duration.seconds(topology.authorizer.cacheSeconds),
  });
  const integrations = new Map<string, HttpLambdaIntegration>();
  for (const { route, function: name, authorized } of topology.routes) {
    const integration = integrations.get(name) ?? new HttpLambdaIntegration(name, functionOf(name));
    integrations.set(name, integration);
    const [method = "", path = ""] = route.split(" ");
    const made = new HttpRoute(stack, `Route ${route.replaceAll("/", "|")}`, {
      httpApi: api,
      routeKey: route === "$default" ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, method as HttpMethod),
      integration,
      authorizer: authorized ? authorizer : new HttpNoneAuthorizer(),
    });
    if (!authorized) {
      Validations.of(made).acknowledge({
        id: "AwsSolutions-APIG4",
        reason:
          "Health, version, keys and the API's description are public; $default only answers 404 and 405.",
      });
    }
  }
  const logs = new LogGroup(stack, "ApiLogs", {
    logGroupName: `/planledger/${settings.name}/access`,
    retention: settings.logRetentionDays satisfies number as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const stage = api.defaultStage?.node.defaultChild;
  if (stage instanceof CfnStage) {
    stage.accessLogSettings = {
      destinationArn: logs.logGroupArn,
      format: JSON.stringify({
        requestId: "$context.requestId",
        at: "$context.requestTime",
        route: "$context.routeKey",
        status: "$context.status",
        sizeBytes: "$context.responseLength",
        latencyMs: "$context.responseLatency",
      }),
    };
  }
  return api;
}
