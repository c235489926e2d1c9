import type { Refusal } from "./judge-submission-fault.ts";

/** A message that was not taken, and the queue it came from by its name. */
export interface ReturnedMessage {
  readonly queue: string;
  readonly messageId: string;
  readonly body: string;
}

/**
 * Where messages go that were not taken. Each is sent before the received one is let go, so that a crash in between leaves two,
 * never none. `false`: it does not fit once there is something beside it; then it must come back by itself.
 */
export interface SubmissionReturns {
  /** Back onto its queue, to come after a while. */
  later(
    message: ReturnedMessage,
    again: { readonly attempt: number; readonly delaySeconds: number },
  ): Promise<boolean>;
  /** Among the dead letters of its queue, with the reason. */
  refuse(message: ReturnedMessage, refusal: Refusal): Promise<boolean>;
}
