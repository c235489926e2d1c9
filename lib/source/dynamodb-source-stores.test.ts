import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { dynamodbSourceBases } from "./dynamodb-source-bases.ts";
import { dynamodbSourceRunStore } from "./dynamodb-source-run-store.ts";
import { sourceBasesContract } from "./source-bases.contract.ts";
import { sourceRunStoreContract } from "./source-run-store.contract.ts";

const aws = await emulatedAws();
const at = { client: aws.dynamodb(), tableName: await aws.newTable() };

sourceRunStoreContract("dynamodb", async () => dynamodbSourceRunStore(at));
sourceBasesContract("dynamodb", async () => dynamodbSourceBases(at));
