import { memoryTimedRecords } from "./memory-timed-records.ts";
import { timedRecordsContract } from "./timed-records.contract.ts";

timedRecordsContract("memory", async () => {
  const records = memoryTimedRecords();
  return { schedules: records.store("schedules"), sources: records.store("sources"), due: records };
});
