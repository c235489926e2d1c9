/** A line of a chart: y over seconds, with the CSS class of its colour. */
export interface Series {
  readonly name: string;
  readonly tone: "one" | "two" | "three" | "bad";
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

const size = { width: 440, height: 250, left: 58, right: 14, top: 14, bottom: 46 };
const inner = {
  width: size.width - size.left - size.right,
  height: size.height - size.top - size.bottom,
};

/** Round numbers from 0 on that reach up to the largest value, some five of them. */
export function ticks(largest: number): readonly number[] {
  const rough = Math.max(largest, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0) ?? 0};`);

const shown = (value: number, end: number): string =>
  end >= 10_000 && value > 0 ? `${value / 1000}k` : String(value);

/** The chart as SVG with axes, units, a grid and a legend. Its colours come from the page's CSS. */
export function chartSvg({ title, xLabel, yLabel, series }: Chart): string {
  const points = series.flatMap((one) => one.points);
  const xTicks = ticks(Math.max(1, ...points.map(({ x }) => x)));
  const yTicks = ticks(Math.max(1, ...points.map(({ y }) => y)));
  const [xEnd, yEnd] = [xTicks.at(-1) ?? 1, yTicks.at(-1) ?? 1];
  const left = (x: number): string => (size.left + (x / xEnd) * inner.width).toFixed(1);
  const top = (y: number): string => (size.top + inner.height - (y / yEnd) * inner.height).toFixed(1);
  const [bottom, right] = [size.top + inner.height, size.left + inner.width];
  const grid = yTicks.map(
    (tick) =>
      `<line class="grid" x1="${size.left}" x2="${right}" y1="${top(tick)}" y2="${top(tick)}"/><text class="tick" text-anchor="end" x="${size.left - 8}" y="${top(tick)}" dy="0.32em">${shown(tick, yEnd)}</text>`,
  );
  const columns = xTicks.map(
    (tick) =>
      `<line class="axis" x1="${left(tick)}" x2="${left(tick)}" y1="${bottom}" y2="${bottom + 4}"/><text class="tick" text-anchor="middle" x="${left(tick)}" y="${bottom + 18}">${shown(tick, xEnd)}</text>`,
  );
  const lines = series.map(({ name, tone, points: of }) => {
    const path = of.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${left(x)} ${top(y)}`).join("");
    const dots = of.map(
      ({ x, y }) =>
        `<circle class="dot ${tone}" cx="${left(x)}" cy="${top(y)}" r="2.2"><title>${escaped(name)}: ${Number(y.toPrecision(4))} at ${Number(x.toPrecision(4))} s</title></circle>`,
    );
    return `<path class="line ${tone}" d="${path}"/>${dots.join("")}`;
  });
  return `<figure><figcaption>${escaped(title)}</figcaption>
<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(title)}">
${grid.join("")}
<line class="axis" x1="${size.left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>${columns.join("")}
<text class="label" text-anchor="middle" x="${size.left + inner.width / 2}" y="${size.height - 6}">${escaped(xLabel)}</text>
<text class="label" text-anchor="middle" transform="translate(13 ${size.top + inner.height / 2}) rotate(-90)">${escaped(yLabel)}</text>
${lines.join("\n")}
</svg>
<div class="legend">${series.map(({ name, tone }) => `<span><i class="${tone}"></i>${escaped(name)}</span>`).join("")}</div></figure>`;
}
