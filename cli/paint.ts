import { styleText } from "node:util";
import type { Output } from "./session.ts";

type Colour = "red" | "green" | "yellow" | "cyan" | "dim" | "bold";

/** Colours a text, or leaves it. */
export type Paint = (colour: Colour, text: string) => string;

/** Colour for a terminal only, and not with NO_COLOR set to anything (https://no-color.org). */
export function paintFor(output: Output, env: Readonly<Record<string, string | undefined>>): Paint {
  const coloured =
    output.isTTY === true && (env.NO_COLOR === undefined || env.NO_COLOR === "") && env.TERM !== "dumb";
  return (colour, text) =>
    coloured && text !== "" ? styleText(colour, text, { validateStream: false }) : text;
}
