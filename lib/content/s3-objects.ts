import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { ValidationError } from "../errors/planledger-error.ts";
import { translateFault } from "../table/translate-fault.ts";
import { tenantPrefix } from "./tenant-prefix.ts";

/** Objects of one tenant by SHA-256, under one kind of prefix. */
export interface S3Objects {
  get(sha256: string): Promise<Uint8Array | undefined>;
  /** Writes what `sha256` addresses. Of content it is the hash, and the service refuses bytes that differ from it. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  has(sha256: string): Promise<boolean>;
}

/** S3 takes parts from 5 MiB on; every endpoint takes bodies of this size. */
const partBytes = 8 * 1024 * 1024;
/** From this size on, asking first (a twelfth of the price of a put) saves more time than it costs. */
const askFirstFromBytes = 256 * 1024;

export function s3Objects(options: {
  readonly client: S3Client;
  readonly bucket: string;
  readonly tenant: string;
  readonly kind: "content" | "trees";
}): S3Objects {
  const { client, bucket, tenant, kind } = options;
  const prefix = `${tenantPrefix(tenant)}/${kind}/`;
  const target = (sha256: string) => {
    if (/^[0-9a-f]{64}$/.test(sha256)) return { Bucket: bucket, Key: prefix + sha256 };
    throw new ValidationError({
      field: "sha256",
      message: `sha256 must be 64 lower-case hexadecimal digits, not ${JSON.stringify(sha256.slice(0, 80))}.`,
    });
  };

  const has = async (sha256: string): Promise<boolean> => {
    try {
      await client.send(new HeadObjectCommand(target(sha256)));
      return true;
    } catch (fault) {
      if (fault instanceof NotFound) return false;
      throw translateFault(fault, `look for object ${prefix}${sha256}`);
    }
  };

  const putInParts = async (at: { Bucket: string; Key: string }, bytes: Uint8Array): Promise<void> => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
    try {
      const parts = [];
      for (let start = 0; start < bytes.byteLength; start += partBytes) {
        const PartNumber: number = parts.length + 1;
        const Body = bytes.subarray(start, start + partBytes);
        const { ETag } = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body }));
        parts.push({ PartNumber, ETag });
      }
      await client.send(
        new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts: parts } }),
      );
    } catch (fault) {
      // Parts of an upload that nobody ends are billed; the first fault is what counts.
      await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => {});
      throw fault;
    }
  };

  return {
    has,

    async get(sha256) {
      try {
        const found = await client.send(new GetObjectCommand(target(sha256)));
        return await found.Body?.transformToByteArray();
      } catch (fault) {
        if (fault instanceof NoSuchKey) return undefined;
        throw translateFault(fault, `read object ${prefix}${sha256}`);
      }
    },

    async put(sha256, bytes) {
      const at = target(sha256);
      if (bytes.byteLength >= askFirstFromBytes && (await has(sha256))) return;
      try {
        if (bytes.byteLength > partBytes) return await putInParts(at, bytes);
        // A directory's address is a hash of what it means, not of its bytes: the SDK adds a checksum then.
        const checksum =
          kind === "content" ? { ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64") } : {};
        await client.send(new PutObjectCommand({ ...at, Body: bytes, ...checksum }));
      } catch (fault) {
        throw translateFault(fault, `write object ${prefix}${sha256}`);
      }
    },
  };
}
