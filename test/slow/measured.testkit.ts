/** Says what a test measured, as a line of its own in the run's output. */
export function measured(what: string, values: Readonly<Record<string, number | string>>): void {
  const shown = Object.entries(values).map(([name, value]) => `${name} ${rounded(value)}`);
  process.stdout.write(`# ${what}: ${shown.join(", ")}\n`);
}

const rounded = (value: number | string): string =>
  typeof value === "string" || Number.isInteger(value) ? String(value) : value.toFixed(3);
