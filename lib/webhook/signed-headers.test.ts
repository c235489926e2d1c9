import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { secretBytes, signedHeaders, signingSecretOf } from "./signed-headers.ts";

const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  body: '{"test": 2432232314}',
  sentAtEpochMs: 1_614_265_330_900,
};

test("a signature is that of the specification's example", () => {
  const secret = secretBytes("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  assert.deepEqual(signedHeaders(message, [secret]), {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a generated secret, and a named one without a prefix, are read by the specification's library as we read them", () => {
  mock.timers.enable({ apis: ["Date"], now: message.sentAtEpochMs });
  try {
    const generated = signingSecretOf(Buffer.alloc(32, 7).toString("base64url"));
    for (const [secret, format] of [
      [generated, {}],
      ["a secret of the operator's", { format: "raw" }],
    ] as const) {
      const headers = signedHeaders({ ...message, body: '{"ä":"\\u0000"}' }, [secretBytes(secret)]);
      assert.deepEqual(new Webhook(secret, format).verify('{"ä":"\\u0000"}', { ...headers }), {
        ä: "\u0000",
      });
    }
  } finally {
    mock.timers.reset();
  }
});

test("with two secrets either verifies, and no third", () => {
  mock.timers.enable({ apis: ["Date"], now: message.sentAtEpochMs });
  try {
    const secrets = [1, 2, 3].map((byte) => signingSecretOf(Buffer.alloc(32, byte).toString("base64url")));
    const headers = signedHeaders(message, secrets.slice(0, 2).map(secretBytes));
    const verifies = secrets.map((secret) => {
      try {
        new Webhook(secret).verify(message.body, { ...headers });
        return true;
      } catch {
        return false;
      }
    });
    assert.deepEqual(verifies, [true, true, false]);
  } finally {
    mock.timers.reset();
  }
});
