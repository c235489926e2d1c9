/** The longest name that Secrets Manager takes. */
const longestId = 512;

/**
 * What a tenant's secret is called in AWS Secrets Manager: prefix, tenant, `/`, name. The tenant stands as it is where it is
 * made of letters, digits, `.`, `_` and `-`; every other byte of it is `=` and two hex digits. So the last `/` is the one
 * before the name, and no two tenants share an id. `undefined`: no secret can have that name.
 */
export function secretId(
  prefix: string,
  { tenant, name }: { readonly tenant: string; readonly name: string },
): string | undefined {
  if (tenant === "" || !tenant.isWellFormed() || !/^[A-Za-z0-9_.-]+$/.test(name)) return undefined;
  const escaped = Array.from(Buffer.from(tenant), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_.-]/.test(character) ? character : `=${byte.toString(16).padStart(2, "0")}`;
  }).join("");
  const id = `${prefix}${escaped}/${name}`;
  return id.length > longestId ? undefined : id;
}
