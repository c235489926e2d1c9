import type { Output } from "./session.ts";

/** Writes and waits until the stream has taken it, so that nothing is lost at exit or piles up in memory. */
export function writeOutput(output: Output, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
