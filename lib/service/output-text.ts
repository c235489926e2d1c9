/** Output of a tool as text: what is no UTF-8 is shown as `\xNN`, and that is said. */
export interface OutputText {
  readonly text: string;
  readonly illFormed: boolean;
}

export const outputText = (bytes: Uint8Array): OutputText => {
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      illFormed: false,
    };
  } catch {
    return { text: escaped(bytes), illFormed: true };
  }
};

const escaped = (bytes: Uint8Array): string => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const parts: string[] = [];
  for (let index = 0; index < bytes.byteLength; ) {
    const length = sequenceLength(bytes[index] ?? 0);
    const sequence = bytes.subarray(index, index + length);
    const text = length === 0 ? undefined : decoded(strict, sequence, length);
    if (text === undefined) {
      parts.push(`\\x${(bytes[index] ?? 0).toString(16).padStart(2, "0")}`);
      index += 1;
    } else {
      parts.push(text);
      index += length;
    }
  }
  return parts.join("");
};

const decoded = (
  strict: InstanceType<typeof TextDecoder>,
  sequence: Uint8Array,
  length: number,
): string | undefined => {
  if (sequence.byteLength < length) return undefined;
  try {
    return strict.decode(sequence);
  } catch {
    return undefined;
  }
};

/** Of the UTF-8 sequence that begins with this byte; 0 when none does. */
const sequenceLength = (lead: number): number => {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
};
