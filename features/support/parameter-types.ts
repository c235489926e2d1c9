import { defineParameterType } from "@cucumber/cucumber";

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
defineParameterType({
  name: "names",
  regexp: /"[^"]*"(?:(?:, | and )"[^"]*")*/,
  transformer: (text: string) => [...text.matchAll(/"([^"]*)"/g)].map(([, name]) => name ?? ""),
  useForSnippets: false,
});

/** What untyped code hands in: a quoted text, a number, `undefined` or `null`. */
defineParameterType({
  name: "anything",
  regexp: /"[^"]*"|undefined|null|-?\d+(?:\.\d+)?/,
  transformer: (text: string): unknown => (text === "undefined" ? undefined : JSON.parse(text)),
  useForSnippets: false,
});
