import type { Context } from "aws-lambda";

type Handler<Result> = (event: unknown, context: Context) => Promise<Result>;

/**
 * A handler that is wired at its first invocation and kept for the next ones: importing an entry does nothing. Wiring that
 * fails is tried again.
 */
export const lazyHandler = <Result>(create: () => Handler<Result>): Handler<Result> => {
  let created: Handler<Result> | undefined;
  return async (event, context) => {
    created ??= create();
    return created(event, context);
  };
};
