import type { Clock } from "../run/clock.ts";
import type { Log, LogRecord } from "./log.ts";
import { numberFields, textFields } from "./log-field.ts";
import { type Metric, metricNamespace, metricUnits } from "./metric.ts";

/** Characters of one text field. */
const textMaximum = 4_000;

/**
 * One JSON object a line, with the time. Only the fields of `log-field.ts` are written, whatever a record holds. With a
 * `service`, the record's metrics are written so that CloudWatch takes them out of the log line (its embedded metric format),
 * under the namespace Planledger and the one dimension `service`: a metric more costs money in every account. Without, they
 * stand there as plain numbers. `writeLine` gets the line without its end.
 */
export const jsonLinesLog = (options: {
  readonly clock: Clock;
  readonly service?: string | undefined;
  readonly writeLine: (line: string) => void;
}): Log => ({
  write(record) {
    const atEpochMs = options.clock.now();
    const line: Record<string, unknown> = { at: new Date(atEpochMs).toISOString(), ...fieldsOf(record) };
    const metrics = metricsOf(record);
    for (const [metric, value] of metrics) line[metric] = value;
    if (options.service !== undefined && metrics.length > 0) {
      line.service = options.service;
      line._aws = {
        Timestamp: atEpochMs,
        CloudWatchMetrics: [
          {
            Namespace: metricNamespace,
            Dimensions: [["service"]],
            Metrics: metrics.map(([Name]) => ({ Name, Unit: metricUnits[Name] })),
          },
        ],
      };
    }
    options.writeLine(JSON.stringify(line));
  },
});

const fieldsOf = (record: LogRecord): Record<string, string | number> => {
  const fields: Record<string, string | number> = {};
  for (const name of textFields) {
    const value = record[name];
    if (typeof value === "string") fields[name] = value.slice(0, textMaximum);
  }
  for (const name of numberFields) {
    const value = record[name];
    if (typeof value === "number") fields[name] = value;
  }
  return fields;
};

const isMetric = (name: string): name is Metric => Object.hasOwn(metricUnits, name);

const metricsOf = ({ metrics = {} }: LogRecord): readonly (readonly [Metric, number])[] =>
  Object.entries(metrics).flatMap(([name, value]) =>
    isMetric(name) && typeof value === "number" ? [[name, value] as const] : [],
  );
