import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { ValidationError } from "../errors/planledger-error.ts";
import type { Clock } from "../run/clock.ts";
import { translateFault } from "../table/translate-fault.ts";
import { contentSha256 } from "./content-state.ts";
import type { ContentStore } from "./content-store.ts";
import type { ContentTransfer } from "./content-transfer.ts";
import { tenantPrefix } from "./tenant-prefix.ts";

const uploadSeconds = 900;
const downloadSeconds = 300;

/**
 * One tenant's transfers on S3. Uploads go to `staged/{tenant}/{sha256}`, the only prefix that ever expires; length and
 * checksum are part of the signature, so the service refuses other bytes, and `admit` looks again.
 */
export function s3ContentTransfer(options: {
  readonly client: S3Client;
  readonly bucket: string;
  readonly tenant: string;
  readonly content: ContentStore;
  readonly clock: Clock;
}): ContentTransfer {
  const { client, bucket, content, clock } = options;
  const tenant = tenantPrefix(options.tenant);
  const staged = (sha256: string) => ({ Bucket: bucket, Key: `staged/${tenant}/${sha256}` });

  return {
    async uploadTarget({ sha256, sizeBytes }) {
      const checksum = Buffer.from(sha256, "hex").toString("base64");
      const command = new PutObjectCommand({
        ...staged(sha256),
        ChecksumSHA256: checksum,
        ContentLength: sizeBytes,
      });
      const url = await getSignedUrl(client, command, {
        expiresIn: uploadSeconds,
        unhoistableHeaders: new Set(["x-amz-checksum-sha256"]),
        signableHeaders: new Set(["content-length", "host"]),
      });
      return {
        url,
        headers: { "x-amz-checksum-sha256": checksum, "content-length": String(sizeBytes) },
        expiresAtEpochMs: clock.now() + uploadSeconds * 1000,
      };
    },

    async admit(sha256) {
      const bytes = await stagedBytes(client, staged(sha256));
      if (bytes === undefined) return false;
      if (contentSha256(bytes) !== sha256) {
        throw new ValidationError({
          code: "content_mismatch",
          field: "sha256",
          message: `What was uploaded as ${sha256} hashes to ${contentSha256(bytes)}. Upload the right bytes.`,
          details: { expected: sha256, found: contentSha256(bytes) },
        });
      }
      await content.put([bytes]);
      return true;
    },

    async downloadUrl(sha256) {
      const command = new GetObjectCommand({ Bucket: bucket, Key: `${tenant}/content/${sha256}` });
      return getSignedUrl(client, command, { expiresIn: downloadSeconds });
    },
  };
}

const stagedBytes = async (
  client: S3Client,
  object: { readonly Bucket: string; readonly Key: string },
): Promise<Uint8Array | undefined> => {
  try {
    const found = await client.send(new GetObjectCommand(object));
    return await found.Body?.transformToByteArray();
  } catch (fault) {
    if (fault instanceof NoSuchKey) return undefined;
    throw translateFault(fault, `read object ${object.Key}`);
  }
};
