/** The directories above a path, from the outermost in, the root left out: `a/b/c` has `a` and `a/b`. */
export const ancestorsOf = (path: string): readonly string[] => {
  const ancestors: string[] = [];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    ancestors.push(path.slice(0, slash));
  }
  return ancestors;
};
