/** The command line itself is wrong, or nothing says where to go: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
