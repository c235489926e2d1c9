import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

type Served = "discovery" | "keys";

export interface TestIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** How often each document was fetched. */
  readonly fetched: Readonly<Record<Served, number>>;
  /** Keys that are published, the newest last; `sign` signs with the newest. */
  readonly published: readonly JWK[];
  /** Publishes another key in place of those before, or beside them. */
  rotate(options?: { readonly algorithm?: string; readonly keep?: boolean }): Promise<void>;
  /** The next fetches of a document are answered by these statuses, in order. */
  script(document: Served, statuses: readonly number[]): void;
  /** Has the discovery document say something else. */
  claim(document: Readonly<Record<string, unknown>>): void;
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** An OIDC issuer on a socket of this machine: a discovery document and a set of keys that rotate. */
export const testIssuer = async (): Promise<TestIssuer> => {
  const fetched = { discovery: 0, keys: 0 };
  const scripted = new Map<Served, number[]>();
  let keys: { readonly jwk: JWK; readonly sign: (jwt: SignJWT, header: object) => Promise<string> }[] = [];
  let made = 0;
  let overridden: Readonly<Record<string, unknown>> = {};
  const server = createServer((request, response) => {
    const document: Served = request.url === "/keys" ? "keys" : "discovery";
    fetched[document] += 1;
    const status = scripted.get(document)?.shift() ?? 200;
    const body =
      document === "keys"
        ? { keys: keys.map(({ jwk }) => jwk) }
        : { issuer: issuer(), jwks_uri: `${issuer()}/keys`, ...overridden };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = (): string => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `http://127.0.0.1:${address.port}`;
  };
  const testkit: TestIssuer = {
    issuer: issuer(),
    fetched,
    get published() {
      return keys.map(({ jwk }) => jwk);
    },
    async rotate({ algorithm = "ES256", keep = false } = {}) {
      made += 1;
      const kid = `key-${made}`;
      const { publicKey, privateKey } = await generateKeyPair(algorithm);
      const key = {
        jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" },
        sign: (jwt: SignJWT, header: object) =>
          jwt.setProtectedHeader({ alg: algorithm, kid, ...header }).sign(privateKey),
      };
      keys = [...(keep ? keys : []), key];
    },
    script: (document, statuses) => scripted.set(document, [...statuses]),
    claim(document) {
      overridden = document;
    },
    async sign(claims, header = {}) {
      const newest = keys.at(-1);
      if (newest === undefined) throw new Error("no key");
      return newest.sign(new SignJWT(claims), header);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await testkit.rotate();
  return testkit;
};
