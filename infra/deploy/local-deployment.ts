import { deployToEndpoint, endpointEnvironment } from "./deploy-to-endpoint.ts";
import type { Deployment } from "./deployment.ts";
import { firstOwner, firstToken } from "./first-token.ts";
import { startMinistack } from "./start-ministack.ts";

/** A service that was deployed to a LocalStack-compatible endpoint. */
export interface LocalDeployment extends Deployment {
  readonly endpointUrl: string;
  /** With every scope, of the tenant `local`; made by this deploy. */
  readonly token: string;
  /** That it was deployed with: an update needs the same, but for what it changes. */
  readonly context: readonly string[];
  /** Of the server that was started for it; absent where it runs by itself. */
  readonly serverLogFile?: string;
  /** Ends the server if it was started for this; else does nothing. */
  stop(): Promise<void>;
}

/**
 * Deploys to `endpointUrl`, or where there is none to a server that it starts and that ends with this process, however that
 * ends. Each deploy makes a token of its own: none that was told before can be told again.
 */
export async function deployLocally(order: {
  readonly endpointUrl: string | undefined;
  readonly port?: number | undefined;
  readonly context: readonly string[];
  readonly log: (line: string) => void;
}): Promise<LocalDeployment> {
  const { log, context } = order;
  const server =
    order.endpointUrl === undefined ? await startMinistack({ port: order.port, log }) : undefined;
  const endpointUrl = order.endpointUrl ?? server?.endpointUrl ?? "";
  const stop = async () => server?.stop();
  try {
    const deployment = await deployToEndpoint({ endpointUrl, context, isBootstrapped: false, log });
    const place = { environment: endpointEnvironment(endpointUrl), tableName: deployment.tableName };
    const token = await firstToken(place, firstOwner);
    return {
      ...deployment,
      endpointUrl,
      token,
      context,
      ...(server === undefined ? {} : { serverLogFile: server.logFile }),
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}
