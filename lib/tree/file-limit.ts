/** The largest file that a tree takes: 16 MiB. */
export const maxFileSizeBytes = 16 * 1024 * 1024;
