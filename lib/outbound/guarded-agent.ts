import { Agent } from "undici";
import { guardedConnect } from "./guarded-connect.ts";
import type { OutboundPorts } from "./outbound-ports.ts";

/** An HTTP client's pool whose every connection is guarded. For one call: `destroy` it when that has ended. */
export const guardedAgent = (ports: OutboundPorts): Agent =>
  new Agent({ connect: guardedConnect(ports), allowH2: false });
