/** The largest content that is taken: what a function can hold in memory when the content is first referred to. */
export const maxUploadBytes = 256 * 1024 * 1024;
