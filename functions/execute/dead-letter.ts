import { wireRunPorts } from "../engine-ports.ts";
import { type Environment, nowhereOutside, readEnvironment, signingEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { buryMessage } from "./work-on-message.ts";

/** Entry: the consumer of the decisions queue's dead letters. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(signingEnvironment, environment);
  const runPorts = wireRunPorts({ ...settings, ...nowhereOutside }, ports);
  return queueFunction({ log: ports.log, handle: buryMessage(runPorts, ports.log) });
};

export const handler = lazyHandler(() => createHandler(process.env));
