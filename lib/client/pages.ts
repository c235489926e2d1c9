/** All pages of a listing by cursor, one request at a time, until a page names no further one. */
export async function* pages<Page extends { readonly cursor?: string | undefined }>(
  first: string | undefined,
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  for (let cursor = first; ; ) {
    const page = await read(cursor);
    yield page;
    if (page.cursor === undefined || page.cursor === cursor) return;
    cursor = page.cursor;
  }
}
