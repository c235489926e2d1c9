import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPointer } from "../../canonical/json-pointer.ts";
import { propertyRuns } from "../../tree/property-runs.testkit.ts";
import { redaction } from "./redaction.ts";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
/** Ends and joins of secrets that the replacement itself could make up are no use as samples. */
const secret = fc
  .string({ unit: "binary", minLength: 8, maxLength: 60 })
  .filter((value) => !"[redacted][redacted]".includes(value.toLowerCase()) && value.isWellFormed());

/** How another side may give a secret back. */
const echoes: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in JSON": (value) => JSON.stringify({ value }),
  "in JSON of ASCII": (value) =>
    JSON.stringify(value).replaceAll(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "in a JSON pointer": (value) => jsonPointer(["args", value]),
  "percent-encoded": (value) => encodeURIComponent(value),
  "as a form": (value) => new URLSearchParams({ value }).toString(),
  "in base64": (value) => Buffer.from(value).toString("base64"),
  "in base64url": (value) => Buffer.from(value).toString("base64url"),
  "in the middle of base64": (value) => Buffer.from(`user:${value}:x`).toString("base64"),
  "one byte further": (value) => Buffer.from(`us:${value}`).toString("base64"),
  "in hex": (value) => Buffer.from(value).toString("hex").toUpperCase(),
};

/** The part of an echo that depends on the secret alone. */
const trace: Readonly<Record<string, (echo: string, value: string) => string>> = {
  "in JSON": (_, value) => JSON.stringify(value).slice(1, -1),
  "in JSON of ASCII": (echo) => echo.slice(1, -1),
  "in a JSON pointer": (echo) => echo.slice("/args/".length),
  "as a form": (echo) => echo.slice("value=".length),
  "in base64": (_, value) =>
    Buffer.from(value)
      .toString("base64")
      .slice(0, Math.floor((Buffer.byteLength(value) * 8) / 6)),
  "in the middle of base64": (echo, value) =>
    echo.slice(7, Math.floor(((5 + Buffer.byteLength(value)) * 8) / 6)),
  "one byte further": (echo, value) => echo.slice(4, Math.floor(((3 + Buffer.byteLength(value)) * 8) / 6)),
};

for (const [form, echo] of Object.entries(echoes)) {
  test(`a secret that comes back ${form} is replaced`, () => {
    fc.assert(
      fc.property(secret, fc.uint8Array(), fc.uint8Array(), (value, before, behind) => {
        const echoed = echo(value);
        const whole = Buffer.concat([before, Buffer.from(echoed), behind]);
        const left = text(redaction([value]).bytes(whole));
        const traced = Buffer.from((trace[form] ?? (() => echoed))(echoed, value)).toString("latin1");
        assert.ok(!left.includes(traced), `${JSON.stringify(traced)} in ${JSON.stringify(left)}`);
        assert.ok(left.includes("[redacted]"));
      }),
      { numRuns: propertyRuns(300) },
    );
  });
}

test("what holds no secret stays as it is, byte for byte", () => {
  fc.assert(
    fc.property(secret, fc.uint8Array({ maxLength: 200 }), (value, bytes) => {
      assert.deepEqual(Buffer.from(redaction([]).bytes(bytes)), Buffer.from(bytes));
      if (!text(bytes).includes(Buffer.from(value).toString("latin1"))) {
        assert.deepEqual(Buffer.from(redaction([value]).bytes(bytes)), Buffer.from(bytes));
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

test("of output that is cut no part of a secret is left at the end, however many stand before it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("secret-value-1", ".", "text "), { maxLength: 30 }),
      fc.nat(200),
      (parts, keepBytes) => {
        const redacted = redaction(["secret-value-1"]);
        const whole = Buffer.from(parts.join(""));
        const read = whole.subarray(0, keepBytes + redacted.lookaheadBytes);
        assert.doesNotMatch(text(redacted.bytes(read, keepBytes)), /sec|alue|-1/);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test("JSON is redacted in values and keys at any depth, and other types stay", () => {
  const { json } = redaction(["hush-hush"]);
  assert.deepEqual(json({ a: ["x hush-hush y", 1, null, true], "hush-hush": { b: "c" } }), {
    a: ["x [redacted] y", 1, null, true],
    "[redacted]": { b: "c" },
  });
});

test("of secrets that begin alike the longer one goes whole", () => {
  const { text: redact } = redaction(["password", "password-and-more"]);
  assert.equal(redact("password-and-more password"), "[redacted] [redacted]");
});
