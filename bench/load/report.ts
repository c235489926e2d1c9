import { quantile } from "../quantile.ts";
import { type Chart, chartSvg, escaped, type Series } from "./chart.ts";
import type { Notes, OutcomeNote } from "./notes.ts";

/** A scenario that was run. */
export interface ScenarioRun {
  readonly name: string;
  readonly about: string;
  /** What one outcome is: a plan, a sync. */
  readonly noun: string;
  readonly notes: Notes;
  /** Of artillery, for what is no outcome: requests that got no answer, virtual users that failed. */
  readonly faults: readonly string[];
  readonly users: number;
}

const style = `
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2430; --soft: #5c6778; --rule: #dfe4ea; --card: #f7f9fb;
  --one: #1769aa; --two: #b25e09; --three: #7b3fa0; --bad: #c0272d; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --page: #12161c; --ink: #e6eaf0; --soft: #9aa6b5; --rule: #2b333e; --card: #1a2028;
  --one: #5db2f4; --two: #f0a04b; --three: #c792ea; --bad: #ff7b72; --good: #56d364; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 1360px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0; color: var(--soft); } .verdict { font-weight: 600; } .good { color: var(--good); } .badly { color: var(--bad); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 1rem; margin: 1rem 0; }
figure { margin: 0; padding: .9rem 1rem; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
figcaption { font-weight: 600; margin-bottom: .4rem; } svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--rule); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.tick { font-size: 11px; fill: var(--soft); } .label { font-size: 12px; fill: var(--ink); }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; } .dot { stroke: none; }
${["one", "two", "three", "bad"].map((tone) => `.line.${tone} { stroke: var(--${tone}); } .dot.${tone} { fill: var(--${tone}); } i.${tone} { background: var(--${tone}); }`).join("\n")}
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .4rem; font-size: 13px; color: var(--soft); }
.legend i { display: inline-block; width: 14px; height: 3px; border-radius: 2px; margin-right: .4rem; vertical-align: middle; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin: .5rem 0; }
.wide { overflow-x: auto; } th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); } th:first-child, td:first-child { text-align: left; }
ul { margin: .5rem 0; padding-left: 1.2rem; color: var(--bad); }
`;

const mostBuckets = 20;

/** A page by itself, without a network: a verdict, three plots and the requests of each scenario. */
export function reportPage(options: {
  readonly runs: readonly ScenarioRun[];
  readonly target: string;
  readonly machine: string;
  readonly at: Date;
}): string {
  const { runs, target, machine, at } = options;
  const overview = table(
    ["scenario", "outcomes", "as they must be", "p50 ms", "p95 ms", "p99 ms", "requests", "per second"],
    runs.map((run) => {
      const { outcomes, requests } = run.notes;
      const times = outcomes.map(({ milliseconds }) => milliseconds);
      const { seconds } = spanOf(run);
      return [
        run.name,
        `${outcomes.length} ${run.noun}s`,
        `${outcomes.filter(({ good }) => good).length}`,
        ...percentiles(times),
        String(requests.length),
        (requests.length / seconds).toFixed(1),
      ];
    }),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Planledger under load</title><style>${style}</style></head><body>
<h1>Planledger under load</h1>
<p>${escaped(target)} · ${escaped(machine)} · ${at.toISOString().replace("T", " ").slice(0, 16)} UTC</p>
<p>Every outcome is checked: phase, counts of decisions and calls, and a digest of each plan; each item of a sync.</p>
${overview}
${runs.map(section).join("\n")}
</body></html>
`;
}

export const isGood = ({ notes: { outcomes }, faults, users }: ScenarioRun): boolean =>
  faults.length === 0 &&
  outcomes.length === users &&
  outcomes.length > 0 &&
  outcomes.every(({ good }) => good);

function section(run: ScenarioRun): string {
  const { outcomes, requests } = run.notes;
  const names = [...new Set(requests.map(({ name }) => name ?? "?"))];
  const bad = outcomes.filter(({ good }) => !good);
  const whys = bad
    .map(({ why }) => why ?? "")
    .filter((why) => !run.faults.some((fault) => fault.startsWith(why)));
  const told = [...run.faults, ...new Set(whys)].slice(0, 10);
  const verdict = isGood(run)
    ? `<p class="verdict good">All ${outcomes.length} ${run.noun}s came out as they must.</p>`
    : `<p class="verdict badly">${bad.length} of ${run.users} ${run.noun}s came out wrong, ${run.users - outcomes.length} did not come out.</p>`;
  return `<section><h2>${escaped(run.name)}</h2><p>${escaped(run.about)}</p>${verdict}
${told.length === 0 ? "" : `<ul>${told.map((one) => `<li>${escaped(one)}</li>`).join("")}</ul>`}
<div class="charts">${charts(run).map(chartSvg).join("\n")}</div>
${table(
  ["request", "count", "p50 ms", "p95 ms", "p99 ms", "statuses"],
  names.map((name) => {
    const mine = requests.filter((request) => (request.name ?? "?") === name);
    const statuses = [...new Set(mine.map(({ status }) => status))].sort();
    return [
      name,
      String(mine.length),
      ...percentiles(mine.flatMap(({ milliseconds }) => milliseconds ?? [])),
      statuses
        .map((status) => `${status} × ${mine.filter((one) => one.status === status).length}`)
        .join(", "),
    ];
  }),
)}</section>`;
}

function charts(run: ScenarioRun): readonly Chart[] {
  const { outcomes, requests } = run.notes;
  const { from, seconds } = spanOf(run);
  const width = Math.max(1, Math.ceil(seconds / mostBuckets));
  const buckets = <Note extends { readonly at: number }>(notes: readonly Note[]) =>
    Array.from({ length: Math.ceil(seconds / width) }, (_, index) => ({
      x: (index + 0.5) * width,
      notes: notes.filter(({ at }) => Math.floor((at - from) / 1000 / width) === index),
    }));
  const percentile = (name: string, tone: Series["tone"], share: number): Series => ({
    name,
    tone,
    points: buckets(outcomes)
      .filter(({ notes }) => notes.length > 0)
      .map(({ x, notes }) => ({
        x,
        y: quantile(
          notes.map(({ milliseconds }) => milliseconds),
          share,
        ),
      })),
  });
  const rate = (name: string, tone: Series["tone"], notes: readonly { readonly at: number }[]): Series => ({
    name,
    tone,
    points: buckets(notes).map(({ x, notes: of }) => ({ x, y: of.length / width })),
  });
  const soFar = (name: string, tone: Series["tone"], of: readonly OutcomeNote[]): Series => ({
    name,
    tone,
    points: [{ x: 0, y: 0 }, ...of.map(({ at }, index) => ({ x: (at - from) / 1000, y: index + 1 }))],
  });
  const xLabel = "seconds since the start";
  const bad = outcomes.filter(({ good }) => !good);
  return [
    {
      title: `Latency of a ${run.noun}, start to checked end`,
      xLabel,
      yLabel: "milliseconds",
      series: [
        percentile("p50", "one", 0.5),
        percentile("p95", "two", 0.95),
        percentile("p99", "three", 0.99),
      ],
    },
    {
      title: "Rates",
      xLabel,
      yLabel: "per second",
      series: [
        rate("requests", "one", requests),
        rate(`${run.noun}s ended`, "two", outcomes),
        rate(
          "HTTP 429 and 5xx",
          "bad",
          requests.filter(({ status }) => status === 429 || status >= 500),
        ),
      ],
    },
    {
      title: "Outcomes so far",
      xLabel,
      yLabel: `${run.noun}s`,
      series: [
        soFar(
          "as they must be",
          "one",
          outcomes.filter(({ good }) => good),
        ),
        ...(bad.length === 0 ? [] : [soFar("wrong", "bad", bad)]),
      ],
    },
  ];
}

/** From the first request's beginning to the last note. */
function spanOf({ notes: { requests, outcomes } }: ScenarioRun): {
  readonly from: number;
  readonly seconds: number;
} {
  const starts = requests.map(({ at, milliseconds }) => at - (milliseconds ?? 0));
  const ends = [...requests, ...outcomes].map(({ at }) => at);
  if (starts.length === 0) return { from: 0, seconds: 1 };
  const from = Math.min(...starts);
  return { from, seconds: Math.max(1, (Math.max(...ends) - from) / 1000) };
}

function percentiles(times: readonly number[]): readonly string[] {
  return [0.5, 0.95, 0.99].map((share) => (times.length === 0 ? "–" : quantile(times, share).toFixed(0)));
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) =>
    row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("");
  return `<div class="wide"><table><thead><tr>${cells("th", heading)}</tr></thead><tbody>${rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("")}</tbody></table></div>`;
}
