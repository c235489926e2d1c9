/** Matches `/v1/plans/{planId}` against a path; parameters come back percent-decoded. `undefined`: no match. */
export const matchPath = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  const wanted = template.split("/");
  const found = path.split("/");
  if (wanted.length !== found.length) return undefined;
  const parameters: Record<string, string> = Object.create(null);
  for (const [index, part] of wanted.entries()) {
    const segment = found[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
      continue;
    }
    const decoded = decodeSegment(segment);
    if (decoded === undefined || decoded === "") return undefined;
    parameters[part.slice(1, -1)] = decoded;
  }
  return parameters;
};

const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};
