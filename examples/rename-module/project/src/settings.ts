/** Not used since 1.2. */
export const settings = {};
