import { ValidationError } from "#lib/errors/planledger-error.ts";
import type { Topology } from "./topology-shape.ts";

/** Redeliveries of a message that is still being worked on would be the rule below this. */
const visibilityTimesTimeout = 6;
/** Throttling alone uses receives up. */
const leastReceiveCount = 5;
const gatewayTimeoutSeconds = 30;

/**
 * Throws a `ValidationError` that lists everything that is wrong with a topology, all at once (`details.problems`): so
 * that a deploy is refused before it starts (F2).
 */
export const checkTopology = (topology: Topology): void => {
  const problems = [
    ...functionProblems(topology),
    ...queueProblems(topology),
    ...routeProblems(topology),
    ...scheduleProblems(topology),
  ];
  if (problems.length === 0) return;
  throw new ValidationError({
    field: "topology",
    message: `The topology has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}: ${problems.join("; ")}.`,
    details: { problems },
  });
};

const functionProblems = ({ functions }: Topology): readonly string[] =>
  Object.entries(functions).flatMap(([name, { timeoutSeconds, memoryMegabytes }]) => [
    ...(timeoutSeconds >= 1 && timeoutSeconds <= 900
      ? []
      : [`function ${name}: timeoutSeconds is ${timeoutSeconds}, allowed are 1 to 900`]),
    ...(memoryMegabytes >= 128 && memoryMegabytes <= 10_240
      ? []
      : [`function ${name}: memoryMegabytes is ${memoryMegabytes}, allowed are 128 to 10240`]),
  ]);

const queueProblems = (topology: Topology): readonly string[] => {
  const { queues, functions } = topology;
  const deadLetterQueues = new Set(
    Object.values(queues).flatMap(({ deadLetter }) => (deadLetter === undefined ? [] : [deadLetter.queue])),
  );
  return Object.entries(queues).flatMap(([name, queue]) => {
    const problems: string[] = [];
    const { consumer, deadLetter } = queue;
    if (deadLetter === undefined && !deadLetterQueues.has(name)) {
      problems.push(
        `queue ${name} has no dead-letter queue, so a message that always fails would come back for ever`,
      );
    }
    if (deadLetter !== undefined) problems.push(...deadLetterProblems(topology, name, deadLetter));
    if (consumer !== undefined) {
      const consuming = functions[consumer.function];
      if (consuming === undefined) {
        problems.push(`queue ${name} is consumed by ${consumer.function}, which is no function`);
      } else if (queue.visibilityTimeoutSeconds < visibilityTimesTimeout * consuming.timeoutSeconds) {
        problems.push(
          `queue ${name}: visibilityTimeoutSeconds is ${queue.visibilityTimeoutSeconds}, but ${consumer.function} may run ` +
            `${consuming.timeoutSeconds} s; it must be at least ${visibilityTimesTimeout} times that, ${visibilityTimesTimeout * consuming.timeoutSeconds}`,
        );
      }
      if (consumer.batchSize < 1 || consumer.batchSize > 10) {
        problems.push(`queue ${name}: batchSize is ${consumer.batchSize}, allowed are 1 to 10`);
      }
      if (consumer.maximumConcurrency < 2) {
        problems.push(`queue ${name}: maximumConcurrency is ${consumer.maximumConcurrency}, the least is 2`);
      }
    }
    return problems;
  });
};

const deadLetterProblems = (
  { queues }: Topology,
  name: string,
  deadLetter: { readonly queue: string; readonly maximumReceiveCount: number },
): readonly string[] => {
  const problems: string[] = [];
  const target = queues[deadLetter.queue];
  if (target === undefined) {
    problems.push(`queue ${name}: its dead-letter queue ${deadLetter.queue} is no queue`);
  } else if (deadLetter.queue === name || target.deadLetter !== undefined) {
    problems.push(`queue ${name}: its dead-letter queue ${deadLetter.queue} has a dead-letter queue itself`);
  } else if (target.retentionSeconds < (queues[name]?.retentionSeconds ?? 0)) {
    problems.push(
      `queue ${name}: its dead-letter queue ${deadLetter.queue} keeps messages for a shorter time than the queue itself, and their age counts from the first send`,
    );
  }
  if (deadLetter.maximumReceiveCount < leastReceiveCount) {
    problems.push(
      `queue ${name}: maximumReceiveCount is ${deadLetter.maximumReceiveCount}, the least is ${leastReceiveCount}, since throttling alone uses receives up`,
    );
  }
  return problems;
};

const routeProblems = ({ routes, functions, authorizer }: Topology): readonly string[] => {
  const seen = new Set<string>();
  const problems: string[] = [];
  if (functions[authorizer.function] === undefined) {
    problems.push(`the authorizer ${authorizer.function} is no function`);
  }
  for (const { route, function: target } of routes) {
    if (seen.has(route)) problems.push(`route ${route} stands twice`);
    seen.add(route);
    const answering = functions[target];
    if (answering === undefined) problems.push(`route ${route} goes to ${target}, which is no function`);
    else if (answering.timeoutSeconds > gatewayTimeoutSeconds) {
      problems.push(
        `function ${target} answers ${route} and may take ${answering.timeoutSeconds} s, but the gateway gives up after ${gatewayTimeoutSeconds} s`,
      );
    }
  }
  return problems;
};

const scheduleProblems = ({ schedules, functions }: Topology): readonly string[] =>
  Object.entries(schedules).flatMap(([name, { everyMinutes, function: target }]) => [
    ...(Number.isInteger(everyMinutes) && everyMinutes >= 1
      ? []
      : [`schedule ${name}: everyMinutes is ${everyMinutes}, it must be a whole number from 1`]),
    ...(functions[target] === undefined ? [`schedule ${name} starts ${target}, which is no function`] : []),
  ]);
