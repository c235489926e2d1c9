// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code to be found in files.
import type { Guard } from "./guard-list.ts";

const connect = { test: "lib/outbound/guarded-connect.test.ts" } as const;
const http = { test: "lib/tools/external/http-tool.test.ts" } as const;
const mcp = { test: "lib/tools/external/mcp-tool.test.ts" } as const;
const redaction = { test: "lib/tools/external/redaction.test.ts" } as const;
const actions = { test: "lib/resource/plan-from-action.test.ts" } as const;
const synced = { test: "functions/execute/synced-tools.test.ts" } as const;

/** Guards of tools that run elsewhere, and of actions. */
export const outsideGuards: readonly Guard[] = [
  {
    name: "outside: a server that goes on in another protocol does not hang whoever called it",
    file: "lib/outbound/guarded-client.ts",
    find: "reject(protocolChanged());",
    replace: "protocolChanged();",
    test: "lib/outbound/guarded-client.test.ts",
  },
  {
    name: "outside: what is connected to is the address that was checked",
    file: "lib/outbound/guarded-connect.ts",
    find: "return await connect({ address, port, tlsName }, signal);",
    replace:
      "return await connect({ address: (await ports.resolve(host))[0] ?? address, port, tlsName }, signal);",
    ...connect,
  },
  {
    name: "outside: every address of a name is checked",
    file: "lib/outbound/guarded-connect.ts",
    find: "for (const address of addresses) {\n    const refusal",
    replace: "for (const address of addresses.slice(0, 1)) {\n    const refusal",
    ...connect,
  },
  {
    name: "outside: only IPv6 addresses of 2000::/3 are public",
    file: "lib/outbound/address-rule.ts",
    find: "!parsed.match(globalUnicast, 3)",
    replace: "!parsed.match(globalUnicast, 0)",
    test: "lib/outbound/address-rule.test.ts",
  },
  {
    name: "outside: a number is no address, whatever a library reads into it",
    file: "lib/outbound/address-rule.ts",
    find: "isIP(address) === 0",
    replace: "!ipaddr.isValid(address)",
    test: "lib/outbound/address-rule.test.ts",
  },
  {
    name: "outside: an allowed port does not allow the others",
    file: "lib/outbound/allowed-hosts.ts",
    find: "allowed.has(host) || allowed.has(`${host}:${port}`)",
    replace: "[...allowed].some((entry) => entry.startsWith(host) && port > 0)",
    test: "lib/outbound/allowed-hosts.test.ts",
  },
  {
    name: "outside: a TLS server must be the one that the URL names",
    file: "lib/outbound/guarded-connect.ts",
    find: '(literalOf(host) === undefined ? host : "")',
    replace: '(literalOf(host) === undefined ? "" : "")',
    ...connect,
  },
  {
    name: "outside: redirects are refused",
    file: "lib/tools/external/call-http.ts",
    find: "if (status >= 300 && status < 400) throw",
    replace: "if (status > 999) throw",
    ...http,
  },
  {
    name: "outside: an answer is read up to its limit",
    file: "lib/tools/external/call-http.ts",
    find: "if (more) throw responseTooLarge(maxResponseBytes);",
    replace: "",
    ...http,
  },
  {
    name: "outside: MCP servers cannot redirect either",
    file: "lib/tools/external/guarded-fetch.ts",
    find: "if (status >= 300 && status < 400) {",
    replace: "if (status > 999) {",
    ...mcp,
  },
  {
    name: "outside: an MCP session's answers have one limit",
    file: "lib/tools/external/guarded-fetch.ts",
    find: "if (leftBytes < 0)",
    replace: "if (leftBytes < -1e9)",
    ...mcp,
  },
  {
    name: "outside: an MCP session is ended",
    file: "lib/tools/external/call-mcp.ts",
    find: "await transport.terminateSession().catch(() => undefined);",
    replace: "",
    ...mcp,
  },
  {
    name: "outside: output is redacted",
    file: "lib/tools/external/call-http.ts",
    find: "return { output: redaction.bytes(bytes) };",
    replace: "return { output: bytes };",
    ...http,
  },
  {
    name: "outside: failure messages are redacted",
    file: "lib/tools/external/external-failure.ts",
    find: "message: redaction.text(own.message),",
    replace: "message: own.message,",
    ...http,
  },
  {
    name: "outside: a secret is found inside of longer base64",
    file: "lib/tools/external/redaction.ts",
    find: "[0, 1, 2].flatMap",
    replace: "[0].flatMap",
    ...redaction,
  },
  {
    name: "outside: no part of a secret is left where output was cut",
    file: "lib/tools/external/redaction.ts",
    find: "if (match.index >= keepBytes) break;",
    replace: "if (match.index + match[0].length > keepBytes) break;",
    ...redaction,
  },
  {
    name: "outside: callers cannot name secrets",
    file: "lib/tools/external/prepared-call.ts",
    find: "input: { ...input, ...mapMembers(run.input, secrets) },",
    replace: "input: mapMembers({ ...input, ...run.input }, secrets),",
    ...http,
  },
  {
    name: "outside: a file of secrets is private",
    file: "lib/secrets/file-secret-store.ts",
    find: "(mode & 0o077) !== 0",
    replace: "(mode & 0o700) === 0",
    test: "lib/secrets/secret-stores.test.ts",
  },
  {
    name: "outside: a call that may outlive its worker is left to another one",
    file: "lib/run/external-gate.ts",
    find: "if (!hasTimeFor(call.timeLimitMs)) {",
    replace: "if (!hasTimeFor(0)) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "actions: an argument is not looked at again",
    file: "lib/resource/plan-from-action.ts",
    find: "const value = args.get(only.name);",
    replace:
      'const given = args.get(only.name); const value = typeof given === "string" ? substituted(given.replaceAll("args.to", "args.from")) : given;',
    ...actions,
  },
  {
    name: "actions: names are not replaced",
    file: "lib/resource/action-definition.ts",
    find: "if (isKey) {",
    replace: "if (isKey && path.length > 99) {",
    ...actions,
  },
  {
    name: "actions: arguments are held to their schema",
    file: "lib/resource/plan-from-action.ts",
    find: "if (failure === undefined) return",
    replace: "if (failure !== null) return",
    ...actions,
  },
  {
    name: "actions: the same request is the same plan after an edit",
    file: "lib/service/submit-plan.ts",
    find: "if (known?.source !== undefined && known.source.requestSha256 === requestSha256) return known;",
    replace: "",
    ...synced,
  },
];
