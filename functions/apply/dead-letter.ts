import { applyWorkerEnvironment, type Environment, readEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { wireApplyPorts } from "../run-ports.ts";
import { buryApplyMessage } from "./apply-on-message.ts";

/** Entry: the consumer of the applies queue's dead letters. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const applyPorts = wireApplyPorts(readEnvironment(applyWorkerEnvironment, environment), ports);
  return queueFunction({ log: ports.log, handle: buryApplyMessage(applyPorts) });
};

export const handler = lazyHandler(() => createHandler(process.env));
