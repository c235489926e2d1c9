import { Duration, type Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";

const period = Duration.minutes(5);

/** Alarms on what an operator has to look at (docs/reference/operating.md says what to do), and one dashboard. */
export function renderAlarms(
  stack: Stack,
  { topology, settings }: { readonly topology: Topology; readonly settings: DeploySettings },
  parts: {
    readonly queues: ReadonlyMap<string, Queue>;
    readonly functions: ReadonlyMap<string, LambdaFunction>;
  },
): void {
  const alarm = (
    id: string,
    metric: IMetric,
    rule: { readonly above: number; readonly what: string },
  ): void => {
    new Alarm(stack, id, {
      alarmName: `${settings.name}-${id}`,
      alarmDescription: rule.what,
      metric,
      threshold: rule.above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  };
  const dashboard = new Dashboard(stack, "Dashboard", { dashboardName: settings.name });
  for (const [name, queue] of parts.queues) {
    const isDeadLetter = topology.queues[name]?.deadLetter === undefined;
    const age = queue.metricApproximateAgeOfOldestMessage({ period });
    const visible = queue.metricApproximateNumberOfMessagesVisible({ period });
    if (isDeadLetter) {
      alarm(`${name}-messages`, visible, {
        above: 0,
        what: `Messages lie in the dead-letter queue ${name}.`,
      });
    } else {
      alarm(`${name}-age`, age, {
        above: 600,
        what: `The oldest message of ${name} has waited for over 10 minutes.`,
      });
    }
    dashboard.addWidgets(new GraphWidget({ title: `queue ${name}`, left: [visible], right: [age] }));
  }
  for (const [name, made] of parts.functions) {
    const errors = made.metricErrors({ period });
    const throttles = made.metricThrottles({ period });
    alarm(`${name}-errors`, errors, { above: 0, what: `Function ${name} ended with an error.` });
    alarm(`${name}-throttles`, throttles, { above: 0, what: `Function ${name} was throttled.` });
    dashboard.addWidgets(
      new GraphWidget({
        title: `function ${name}`,
        left: [made.metricInvocations({ period }), errors, throttles],
        right: [made.metricDuration({ period })],
      }),
    );
  }
}
