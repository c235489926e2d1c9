import type { Output } from "../session.ts";

/** A line at the bottom of a terminal that shows how far something is; nothing at all where stderr is no terminal. */
export interface ProgressBar {
  show(progress: { readonly label: string; readonly done: number; readonly total: number }): void;
  /** A line that stays, above the bar. */
  line(text: string): void;
  end(): void;
}

const barWidth = 24;

export function progressBar(stderr: Output): ProgressBar {
  let shown = "";
  const isTerminal = stderr.isTTY === true;
  const wipe = () => {
    if (shown !== "") stderr.write("\r\u001b[2K");
    shown = "";
  };
  return {
    show({ label, done, total }) {
      if (!isTerminal) return;
      const filled = total === 0 ? barWidth : Math.floor((barWidth * Math.min(done, total)) / total);
      const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
      const text = `${bar} ${done}/${total} ${label}`.slice(0, Math.max(20, (stderr.columns ?? 80) - 1));
      if (text === shown) return;
      wipe();
      stderr.write(text);
      shown = text;
    },
    line(text) {
      const bar = shown;
      wipe();
      stderr.write(`${text}\n`);
      if (bar !== "") {
        stderr.write(bar);
        shown = bar;
      }
    },
    end: wipe,
  };
}
