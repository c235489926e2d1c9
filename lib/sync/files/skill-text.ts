/** A `SKILL.md` in its parts: YAML front matter between two lines `---`, then Markdown. */
export interface SkillText {
  readonly frontMatter: string;
  /** What stands between the front matter and the instructions: nothing, or one empty line. */
  readonly gap: "" | "\n";
  readonly instructions: string;
}

/** The parts of a text with lines that end in LF; `undefined` when it does not begin with front matter. */
export function splitSkillText(text: string): SkillText | undefined {
  const match = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|$)/.exec(text);
  if (match === null) return undefined;
  const body = text.slice(match[0].length);
  const gap = body.startsWith("\n") ? "\n" : "";
  return { frontMatter: match[1] ?? "", gap, instructions: body.slice(gap.length) };
}

export function joinSkillText({ frontMatter, gap, instructions }: SkillText): string {
  const ended = frontMatter === "" || frontMatter.endsWith("\n") ? frontMatter : `${frontMatter}\n`;
  // An empty line that belongs to the instructions must not be taken as the gap.
  const between = instructions.startsWith("\n") ? "\n" : gap;
  return `---\n${ended}---\n${instructions === "" ? "" : between}${instructions}`;
}
