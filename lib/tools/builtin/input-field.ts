/** Fields of an input that its schema has already been checked against; absent ones are `undefined`. */
export const textField = (input: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = input[name];
  return typeof value === "string" ? value : undefined;
};

export const requiredText = (input: Readonly<Record<string, unknown>>, name: string): string => {
  const value = textField(input, name);
  if (value === undefined) throw new TypeError(`the input has no ${name}`);
  return value;
};

export const numberField = (input: Readonly<Record<string, unknown>>, name: string): number | undefined => {
  const value = input[name];
  return typeof value === "number" ? value : undefined;
};

/** A directory's path: `.` is what agents write for the root. */
export const directoryField = (input: Readonly<Record<string, unknown>>, name: string): string => {
  const path = requiredText(input, name);
  return path === "." || path === "./" ? "" : path;
};
