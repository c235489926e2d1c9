import { InvalidArgumentError } from "commander";

/** A whole number within bounds, for commander: anything else is wrong usage. */
export const wholeNumber =
  (bounds: { readonly minimum: number; readonly maximum: number }) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= bounds.minimum && value <= bounds.maximum) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${bounds.minimum} to ${bounds.maximum}.`);
  };

export const runNumber = wholeNumber({ minimum: 1, maximum: 999_999_999 });
