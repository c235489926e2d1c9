import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { translateFault } from "#lib/table/translate-fault.ts";

/** Creates the bucket if there is none of this name. */
export async function ensureBucket(options: {
  readonly client: S3Client;
  readonly bucket: string;
}): Promise<void> {
  try {
    await options.client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  } catch (fault) {
    if (fault instanceof BucketAlreadyOwnedByYou || fault instanceof BucketAlreadyExists) return;
    throw translateFault(fault, `create bucket ${options.bucket}`);
  }
}
