/** The first bytes of a body up to a limit, and whether there was more, which is not read then. */
export const readLimited = async (
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly more: boolean }> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), more: sizeBytes > limitBytes };
};
