import { wireRunPorts } from "../engine-ports.ts";
import { type Environment, readEnvironment, workerEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { wireApplies } from "../run-ports.ts";
import { workOnMessage } from "./work-on-message.ts";

/** Entry: the worker on the decisions queue. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(workerEnvironment, environment);
  const workerPorts = { ...wireRunPorts(settings, ports), applies: wireApplies(settings) };
  return queueFunction({ log: ports.log, handle: workOnMessage(workerPorts, ports.log) });
};

export const handler = lazyHandler(() => createHandler(process.env));
