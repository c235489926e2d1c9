import type { SecretStore } from "./secret-store.ts";

/** Secrets by tenant and name, for tests and for services in process. */
export const memorySecretStore = (
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
): SecretStore => ({
  async get({ tenant, name }) {
    const own = Object.hasOwn(secrets, tenant) ? secrets[tenant] : undefined;
    return own !== undefined && Object.hasOwn(own, name) ? own[name] : undefined;
  },
});
