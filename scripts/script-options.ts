import { type ParseArgsConfig, parseArgs } from "node:util";

const withHelp = { help: { type: "boolean", short: "h" } } as const;

/**
 * The options and arguments of a script. `--help` prints how to use it and ends the process; what the script does not know is
 * told on standard error, and ends it with 2, as wrong usage of the command does.
 */
export function scriptOptions<const Config extends ParseArgsConfig>(
  config: Config,
  help: string,
): ReturnType<typeof parseArgs<Config>> {
  // Apart from the reading below, whose type is that of the script's own options.
  if (parsed(() => parseArgs({ options: withHelp, strict: false })).values.help === true) {
    process.stdout.write(help);
    process.exit(0);
  }
  return parsed(() => parseArgs(config));
}

/** Ends the process as wrong usage does. */
export function wrongUsage(problem: string): never {
  process.stderr.write(`error: ${problem}\n(add --help for how to use it)\n`);
  process.exit(2);
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
    return wrongUsage(fault.message);
  }
}
