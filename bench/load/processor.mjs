// What artillery calls: makes plans and items, and checks what became of them. Each request and each outcome is noted in the
// file that PLANLEDGER_BENCH_LOG names, a JSON object a line, from which the report is made; an outcome that is not as it
// must be is an error of the virtual user. Plain JavaScript, since artillery bundles it by itself.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";

const {
  PLANLEDGER_TOKEN: token,
  PLANLEDGER_BENCH_LOG: log,
  PLANLEDGER_BENCH_DECISIONS = "3000",
} = process.env;
const followedMilliseconds = 300_000;

const note = (record) => {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ at: Date.now(), ...record })}\n`);
};

/** Notes an outcome; one that is not `good` fails the virtual user. */
const outcome = (context, events, { kind, good, why }) => {
  const milliseconds = Date.now() - context.vars.startedAt;
  note({ type: "outcome", kind, good, milliseconds, size: context.vars.size, ...(good ? {} : { why }) });
  events.emit("counter", `outcomes.${kind}.${good ? "good" : "bad"}`, 1);
  events.emit("histogram", `milliseconds.${kind}`, milliseconds);
  if (!good) throw new Error(why);
};

export async function authorize(request) {
  request.headers = { ...request.headers, authorization: `Bearer ${token}` };
}

export async function noteResponse(request, response) {
  const milliseconds = response.timings?.phases?.total;
  note({ type: "request", name: request.name, status: response.statusCode, milliseconds });
}

const write = (path, content) => ({ tool: "write_file", input: { path, content } });

const begin = (context, decisions) => {
  context.vars.planId = `load-${randomUUID()}`;
  context.vars.plan = { decisions };
  context.vars.size = decisions.length;
  context.vars.startedAt = Date.now();
};

/** Ten decisions: a file each, then an edit that needs the one before. */
export async function makeSmallPlan(context) {
  begin(
    context,
    Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0
        ? { id: `d${index}`, toolCalls: [write(`notes/${index}.md`, `# Note ${index}\nfirst\n`)] }
        : {
            id: `d${index}`,
            dependsOn: [`d${index - 1}`],
            toolCalls: [
              {
                tool: "edit_file",
                input: { path: `notes/${index - 1}.md`, edits: [{ oldText: "first", newText: "second" }] },
              },
            ],
          },
    ),
  );
}

export async function makeLargePlan(context) {
  begin(
    context,
    Array.from({ length: Number(PLANLEDGER_BENCH_DECISIONS) }, (_, index) => ({
      id: `d${index}`,
      toolCalls: [write(`room-${index % 20}/file-${index % 400}.txt`, `decision ${index} was here\n`)],
    })),
  );
}

export async function sendPlan(request, context) {
  request.json = context.vars.plan;
}

const bodyOf = (response) => (typeof response.body === "string" ? JSON.parse(response.body) : response.body);

export async function requireAccepted(_request, response, context, events) {
  if (response.statusCode === 202) return;
  const { code, message } = bodyOf(response) ?? {};
  outcome(context, events, {
    kind: "plan",
    good: false,
    why: `submission answered ${response.statusCode} ${code ?? ""} ${message ?? ""}`,
  });
}

export async function noteStatus(_request, response, context) {
  context.vars.status = response.statusCode === 200 ? bodyOf(response) : undefined;
}

const ended = new Set(["completed", "failed", "cancelled"]);

export function isUnderWay(context, next) {
  const { status, startedAt } = context.vars;
  return next(!ended.has(status?.phase) && Date.now() - startedAt < followedMilliseconds);
}

/** Completed, with every decision landed exactly once, under a digest. */
export async function checkPlan(context, events) {
  const { status, size, planId } = context.vars;
  const counts = status?.counts ?? {};
  const good =
    status?.phase === "completed" &&
    counts.landed === size &&
    counts.total === size &&
    counts.failed === 0 &&
    counts.skipped === 0 &&
    status.toolCalls === size &&
    status.run === 1 &&
    /^[0-9a-f]{64}$/.test(status.digest ?? "");
  const why = `plan ${planId} is ${status?.phase}, ${JSON.stringify(counts)} of ${size}, digest ${status?.digest}`;
  outcome(context, events, { kind: "plan", good, why });
}

export async function makeItems(context) {
  const room = `load-${randomUUID().slice(0, 8)}`;
  context.vars.items = Array.from({ length: 100 }, (_, index) => ({
    id: `${room}/skill-${index}`,
    name: `Skill ${index}`,
    version: "1",
    metadata: {},
    description: "Made by a load test",
    instructions: `Do number ${index} well. `.repeat(20),
  }));
  context.vars.size = context.vars.items.length;
  context.vars.rows = 0;
  context.vars.room = room;
  context.vars.cursorQuery = "";
  context.vars.startedAt = Date.now();
}

export async function sendItems(request, context) {
  request.json = {
    operations: context.vars.items.map((item) => ({ op: "put", kind: "skills", item, expectedRevision: 0 })),
  };
}

const requireAll = (status) => async (_request, response, context, events) => {
  const results = response.statusCode === 200 ? bodyOf(response).results : [];
  const count = results.filter((result) => result.status === status).length;
  if (count === context.vars.size) return;
  const why = `${count} of ${context.vars.size} items were ${status} (HTTP ${response.statusCode})`;
  outcome(context, events, { kind: "sync", good: false, why });
};
export const requireWritten = requireAll("written");
export const requireUnchanged = requireAll("unchanged");

export async function noteRows(_request, response, context) {
  const { resources = [], cursor } = response.statusCode === 200 ? bodyOf(response) : {};
  const { room } = context.vars;
  context.vars.rows += resources.filter(
    ({ id, revision }) => id.startsWith(`${room}/`) && revision === 1,
  ).length;
  context.vars.cursorQuery = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
}

export function hasMoreRows(context, next) {
  return next(context.vars.cursorQuery !== "");
}

export async function checkItems(context, events) {
  const { rows, size } = context.vars;
  outcome(context, events, {
    kind: "sync",
    good: rows === size,
    why: `${rows} of ${size} items stand in the listing`,
  });
}
