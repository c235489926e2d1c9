/** Shorter ones cannot be told from ordinary text when they are taken out of outputs. */
export const secretMinimumChars = 8;

/** Secrets of all tenants, by name, as an operator keeps them. Read at the moment of use; nothing here is ever stored. */
export interface SecretStore {
  /** `undefined`: this tenant has no secret of that name. Throws when it cannot be told, or when the secret is not usable. */
  get(key: { readonly tenant: string; readonly name: string }): Promise<string | undefined>;
}
