import type { Clock } from "../run/clock.ts";
import type { Log } from "./log.ts";

/** One JSON object a line, with the time. `writeLine` gets the line without its end. */
export const jsonLinesLog = (options: {
  readonly clock: Clock;
  readonly writeLine: (line: string) => void;
}): Log => ({
  write(record) {
    options.writeLine(JSON.stringify({ at: new Date(options.clock.now()).toISOString(), ...record }));
  },
});
