/**
 * Calls a constructor the way untyped code may: with anything at all. The signature is that of the runtime, not of the
 * compiler.
 */
export function constructUntyped(made: object, argument: unknown): unknown {
  if (typeof made !== "function") {
    throw new TypeError("not a constructor");
  }
  return Reflect.construct(made, [argument]);
}
