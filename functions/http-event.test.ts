import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOfReply } from "./http-event.ts";

test("JSON of four million characters fits into a function's result, whatever they are", () => {
  for (const character of ['"', "\\", "a", "\u0001", "é"]) {
    const characters = Math.floor((4 * 1024 * 1024 - 2) / (JSON.stringify(character).length - 2));
    const value = character.repeat(Math.min(characters, 2 * 1024 * 1024));
    const result = resultOfReply({ status: 200, body: { kind: "json", value } });
    assert.ok(Buffer.byteLength(JSON.stringify(result)) < 6 * 1024 * 1024, character);
    const text = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8").toString();
    assert.equal(JSON.parse(text), value);
  }
});
