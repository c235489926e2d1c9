/** Numbers in [0, 1) that are the same at every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const words =
  "account amount apply batch bound bucket cache change chunk clock commit cursor decision delay digest entry error event fetch file filter frontier group handle hash header index input item key ledger limit list load lock map merge message mode move name next node offset order output owner page parse path plan port prefix queue range read record request result retry review role route run scope seal send session shape sign size skip sort source state step store stream table target tenant text token total tree unit update user value verify wait watch window work write".split(
    " ",
  );

/**
 * Text that looks like source code, of exactly `sizeBytes`, which gzip makes about three times smaller and no more. It is
 * the same for the same seed, and no line of it stands in another's.
 */
export function sourceText(seed: number, sizeBytes: number): string {
  const random = seeded(seed);
  const word = () => words[Math.floor(random() * words.length)] ?? "";
  const name = () => `${word()}${capital(word())}${random() < 0.3 ? Math.floor(random() * 1000) : ""}`;
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const line = () => {
    switch (Math.floor(random() * 5)) {
      case 0:
        return `  const ${name()} = await ${name()}(${name()}, { ${word()}: ${name()} });\n`;
      case 1:
        return `  if (${name()}.${word()} !== ${name()}) return ${name()}(${Math.floor(random() * 100_000)});\n`;
      case 2:
        return `  // The ${word()} ${word()} must ${word()} before any ${word()} of the ${word()} ${word()}.\n`;
      case 3:
        return `  ${name()}.${word()}("${word()} ${word()}-${Math.floor(random() * 100_000)}");\n`;
      default:
        return `  for (const ${word()} of ${name()}) ${name()}.set(${word()}, ${name()});\n`;
    }
  };
  let text = `export async function ${name()}${seed}(${name()}: ${capital(name())}) {\n`;
  while (text.length < sizeBytes) text += line();
  return `${text.slice(0, sizeBytes - 1)}\n`;
}
