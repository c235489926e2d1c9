import type { ApiReply } from "#lib/api/api-reply.ts";
import type { DiffPage, DiffQuery } from "#lib/service/diff-page.ts";

/** A page of a plan's diff; the link to the next one is relative to the service, whatever its host. */
export const diffReply = (planId: string, { run, decision }: DiffQuery, page: DiffPage): ApiReply =>
  pagedDiff(`${planPath(planId)}/diff`, page, {
    ...(run === undefined ? {} : { run: String(run) }),
    ...(decision === undefined ? {} : { decision }),
  });

/** The same of a derived changeset. */
export const derivedDiffReply = (planId: string, digest: string, page: DiffPage): ApiReply =>
  pagedDiff(`${planPath(planId)}/changesets/${encodeURIComponent(digest)}/diff`, page, {});

const planPath = (planId: string): string => `/v1/plans/${encodeURIComponent(planId)}`;

const pagedDiff = (
  path: string,
  { bytes, cursor }: DiffPage,
  query: Readonly<Record<string, string>>,
): ApiReply => ({
  status: 200,
  ...(cursor === undefined
    ? {}
    : { headers: { link: `<${path}?${new URLSearchParams({ ...query, cursor })}>; rel="next"` } }),
  body: { kind: "bytes", bytes, contentType: "text/x-diff" },
});
