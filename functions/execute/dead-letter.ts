import { type Environment, readEnvironment, signingEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { wireRunPorts } from "../run-ports.ts";
import { buryMessage } from "./work-on-message.ts";

/** Entry: the consumer of the decisions queue's dead letters. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const runPorts = wireRunPorts(readEnvironment(signingEnvironment, environment), ports);
  return queueFunction({ log: ports.log, handle: buryMessage(runPorts, ports.log) });
};

export const handler = lazyHandler(() => createHandler(process.env));
