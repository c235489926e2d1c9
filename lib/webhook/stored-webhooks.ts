import * as z from "zod/mini";
import { phases } from "../run/phase.ts";

const text = z.string();
const time = z.number();

/** A `WebhookList` without what its key and its own attributes say. */
export const storedWebhooks = z.object({
  webhooks: z.array(
    z.object({
      id: text,
      name: text,
      url: text,
      phases: z.array(z.enum(phases)),
      secret: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("named"), name: text }),
        z.object({
          kind: z.literal("generated"),
          text,
          former: z.exactOptional(z.object({ text, untilEpochMs: time })),
        }),
      ]),
      createdBy: text,
      createdAtEpochMs: time,
      listensSinceEpochMs: time,
      failingSinceEpochMs: z.exactOptional(time),
      disabled: z.exactOptional(z.object({ atEpochMs: time, reason: text })),
    }),
  ),
});
