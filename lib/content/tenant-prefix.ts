/** The one prefix of the bucket whose objects expire; no tenant's content may ever lie under it. */
export const stagedPrefix = "staged";

/**
 * The first part of the keys of a tenant's objects: the tenant as it is, where it holds nothing that a key is made of. No
 * two tenants share it and none is `staged`, whatever they are called.
 */
export function tenantPrefix(tenant: string): string {
  const escaped = encodeURIComponent(tenant);
  return escaped === stagedPrefix ? "%73taged" : escaped;
}
