import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A connection to make: to an address that is an IP address already, so that nobody looks anything up. */
export interface AddressTarget {
  readonly address: string;
  readonly port: number;
  /** Over TLS, to a server that proves to be this name; `undefined` for plain TCP. */
  readonly tlsName: string | undefined;
}

export type Connect = (target: AddressTarget, signal: AbortSignal) => Promise<Socket>;

const connectTimeoutMs = 10_000;

/** Connects, through the TLS handshake where there is one, within ten seconds and before the signal is aborted. */
export const connectToAddress: Connect = ({ address, port, tlsName }, signal) =>
  new Promise((resolve, reject) => {
    const socket =
      tlsName === undefined
        ? connectTcp({ host: address, port })
        : connectTls({ host: address, port, servername: tlsName, ALPNProtocols: ["http/1.1"] });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]);
    const giveUp = () => socket.destroy(limit.reason instanceof Error ? limit.reason : new Error("aborted"));
    const settle = (end: () => void) => () => {
      limit.removeEventListener("abort", giveUp);
      end();
    };
    limit.addEventListener("abort", giveUp, { once: true });
    socket.once("error", (error) => settle(() => reject(error))());
    socket.once(
      tlsName === undefined ? "connect" : "secureConnect",
      settle(() => resolve(socket)),
    );
    if (limit.aborted) giveUp();
  });
