/** Not one of Planledger's errors: nothing may catch it and go on. */
export class Killed extends Error {}

/** When a process dies or stands still: at which call of a port, before or after the call does its work. */
export interface AtCall {
  readonly call: number;
  readonly when: "before" | "after";
}

/** A process whose calls of ports can be counted, killed at, and held. */
export interface SteppedProcess {
  /** The methods of a port, each a step of this process. */
  ports<Port extends object>(port: Port): Port;
  readonly calls: () => number;
}

/**
 * `pause` is awaited at every step, so that a scheduler decides who goes on. At `dies` the process is killed: that call and all
 * further ones fail. At `holds` it stands still until the promise given back by `hold` is resolved.
 */
export function steppedProcess(options: {
  readonly pause?: () => Promise<unknown>;
  readonly dies?: AtCall | undefined;
  readonly holds?: { readonly at: AtCall; readonly hold: () => Promise<unknown> } | undefined;
}): SteppedProcess {
  const { pause = async () => undefined, dies, holds } = options;
  let calls = 0;
  let dead = false;

  const reached = async (call: number, when: AtCall["when"]): Promise<void> => {
    await pause();
    if (dies?.call === call && dies.when === when) dead = true;
    if (dead) throw new Killed(`at call ${call}, ${when}`);
    if (holds?.at.call === call && holds.at.when === when) await holds.hold();
  };

  return {
    ports: (port) =>
      new Proxy(port, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return async (...given: readonly unknown[]) => {
            calls += 1;
            const call = calls;
            await reached(call, "before");
            const result: unknown = await Reflect.apply(member, target, given);
            await reached(call, "after");
            return result;
          };
        },
      }),
    calls: () => calls,
  };
}
