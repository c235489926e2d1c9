import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readDeployment } from "./deployment.ts";

const directory = mkdtempSync(join(tmpdir(), "planledger-deployment-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const outputs = {
  Url: "https://abc.execute-api.eu-north-1.amazonaws.com/",
  ApiId: "abc",
  Region: "eu-north-1",
  TableName: "planledger",
  BucketName: "bucket",
  decisionsQueueUrl: "https://sqs/decisions",
  decisionsDeadLetterQueueUrl: "https://sqs/dead",
};
const fileOf = (stacks: unknown): string => {
  const file = join(directory, "outputs.json");
  writeFileSync(file, JSON.stringify(stacks));
  return file;
};

test("on AWS a service is where its gateway is, at another endpoint below that endpoint", () => {
  const file = fileOf({ planledger: outputs });
  const { url, ...rest } = readDeployment(file, undefined);
  assert.equal(url, "https://abc.execute-api.eu-north-1.amazonaws.com");
  assert.deepEqual(rest, {
    stackName: "planledger",
    region: "eu-north-1",
    tableName: "planledger",
    bucketName: "bucket",
    queueUrls: { decisions: "https://sqs/decisions", decisionsDeadLetter: "https://sqs/dead" },
  });
  for (const endpoint of ["http://127.0.0.1:4566", "http://127.0.0.1:4566/"]) {
    assert.equal(readDeployment(file, endpoint).url, "http://127.0.0.1:4566/_aws/execute-api/abc/$default");
  }
});

test("outputs of no stack, or of two, are refused", () => {
  assert.throws(() => readDeployment(fileOf({}), undefined), /is of 0 stacks/);
  assert.throws(() => readDeployment(fileOf({ a: outputs, b: outputs }), undefined), /is of 2 stacks/);
});
