import { Duration, type Stack } from "aws-cdk-lib";
import {
  Alarm,
  Metric as CloudWatchMetric,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { type Metric, metricNamespace } from "#lib/log/metric.ts";
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
  if (settings.metrics) dashboard.addWidgets(...serviceWidgets(settings));
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

/** What the service counts and times itself, by what an operator asks: is it used, does it answer, does work end well. */
function serviceWidgets({ name: service }: DeploySettings): readonly GraphWidget[] {
  const metric = (metricName: Metric, statistic = "Sum"): CloudWatchMetric =>
    new CloudWatchMetric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { service },
      statistic,
      period,
      label: statistic === "Sum" ? metricName : `${metricName} ${statistic}`,
    });
  const widget = (
    title: string,
    left: readonly CloudWatchMetric[],
    right: readonly CloudWatchMetric[] = [],
  ) => new GraphWidget({ title, left: [...left], right: [...right] });
  return [
    widget(
      "requests",
      [metric("requests"), metric("requestFaults"), metric("requestsLimited")],
      [metric("requestMs", "p50"), metric("requestMs", "p99")],
    ),
    widget(
      "runs",
      [metric("runsCompleted"), metric("runsFailed"), metric("runsCancelled"), metric("runsRescued")],
      [metric("runSeconds", "p50"), metric("runSeconds", "p99")],
    ),
    widget(
      "decisions and applies",
      [metric("decisionsLanded"), metric("decisionsFailed"), metric("decisionsSkipped")],
      [metric("appliesLanded"), metric("appliesRefused")],
    ),
    widget(
      "messages",
      [metric("messageFaults"), metric("deadLetters")],
      [metric("messageAgeMs", "p50"), metric("messageAgeMs", "p99")],
    ),
  ];
}
