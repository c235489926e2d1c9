import type { Timer } from "./clock.ts";

/**
 * Does a piece of work, and calls `beat` again and again meanwhile: every time `dueInMs` (asked anew each time) has passed.
 * When the work is over, no beat is under way any more. A beat's failure is thrown once the work is over, whatever came of
 * it, and ends the beats.
 */
export async function whileAtWork<T>(
  work: () => Promise<T>,
  options: { readonly timer: Timer; readonly dueInMs: () => number; readonly beat: () => Promise<void> },
): Promise<T> {
  const { timer, dueInMs, beat } = options;
  let over = false;
  let failure: { readonly error: unknown } | undefined;
  let beating: Promise<void> = Promise.resolve();
  let pending = { cancel() {} };

  async function beatOnce(): Promise<void> {
    try {
      await beat();
    } catch (error) {
      failure = { error };
      return;
    }
    if (!over) {
      arm();
    }
  }
  function arm(): void {
    pending = timer.after(dueInMs(), () => {
      if (!over) {
        beating = beatOnce();
      }
    });
  }

  arm();
  try {
    return await work();
  } finally {
    over = true;
    pending.cancel();
    await beating;
    if (failure !== undefined) {
      // biome-ignore lint/correctness/noUnsafeFinally: what the work came to counts for nothing when the run was lost meanwhile.
      throw failure.error;
    }
  }
}
