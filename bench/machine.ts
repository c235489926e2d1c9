import { availableParallelism, cpus, loadavg } from "node:os";

/** What a timing was taken on, in one line; the load tells how busy others kept the machine. */
export function machine(): string {
  const [load = 0] = loadavg();
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `Node ${process.versions.node}, ${availableParallelism()} processors (${model}), load ${load.toFixed(1)}`;
}
