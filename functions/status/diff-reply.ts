import type { ApiReply } from "#lib/api/api-reply.ts";
import type { DiffPage, DiffQuery } from "#lib/service/diff-page.ts";

/** A page of a diff; the link to the next one is relative to the service, whatever its host. */
export const diffReply = (planId: string, query: DiffQuery, page: DiffPage): ApiReply => ({
  status: 200,
  ...(page.cursor === undefined
    ? {}
    : { headers: { link: `<${nextPage(planId, query, page.cursor)}>; rel="next"` } }),
  body: { kind: "bytes", bytes: page.bytes, contentType: "text/x-diff" },
});

const nextPage = (planId: string, { run, decision }: DiffQuery, cursor: string): string => {
  const query = new URLSearchParams({
    ...(run === undefined ? {} : { run: String(run) }),
    ...(decision === undefined ? {} : { decision }),
    cursor,
  });
  return `/v1/plans/${encodeURIComponent(planId)}/diff?${query}`;
};
