// Runs jobs that do nothing through one of the queues, several times, and prints the seconds of each time from the first
// submission to the last completion as JSON: node yardstick.mjs QUEUE PORT JOBS ROUNDS. Plain JavaScript, since what it
// imports is installed for it alone (package.json beside it), and the repository's type check knows nothing of that.
import { randomUUID } from "node:crypto";

const [queue, port, jobsText, roundsText] = process.argv.slice(2);
const [jobs, rounds] = [Number(jobsText), Number(roundsText)];

/** Counts completions; `done` resolves when all have come. */
const counter = (count) => {
  const { promise, resolve } = Promise.withResolvers();
  let completed = 0;
  return {
    done: promise,
    one: () => {
      completed += 1;
      if (completed === count) resolve();
    },
  };
};

const postgres = `postgres://bench@127.0.0.1:${port}/postgres`;
const batchesOf = (size) =>
  Array.from({ length: Math.ceil(jobs / size) }, (_, index) => Math.min(size, jobs - index * size));

const queues = {
  async bullmq() {
    const { Queue, Worker } = await import("bullmq");
    const { Redis } = await import("ioredis");
    const connect = () => new Redis({ port: Number(port), host: "127.0.0.1", maxRetriesPerRequest: null });
    const [producer, consumer] = [connect(), connect()];
    const name = randomUUID();
    const submitted = new Queue(name, {
      connection: producer,
      defaultJobOptions: { removeOnComplete: true },
    });
    const count = counter(jobs);
    const worker = new Worker(name, async () => undefined, { connection: consumer, concurrency: 50 });
    worker.on("completed", count.one);
    await worker.waitUntilReady();
    return {
      async run() {
        await Promise.all(
          batchesOf(500).map((size) =>
            submitted.addBulk(
              Array.from({ length: size }, (_, index) => ({ name: "none", data: { index } })),
            ),
          ),
        );
        await count.done;
      },
      async stop() {
        await worker.close();
        await submitted.close();
        producer.disconnect();
        consumer.disconnect();
      },
    };
  },

  graphile: (options) => async () => {
    const { Logger, makeWorkerUtils, run } = await import("graphile-worker");
    const logger = new Logger(() => () => undefined);
    const utils = await makeWorkerUtils({ connectionString: postgres, logger });
    await utils.migrate();
    const count = counter(jobs);
    const runner = await run({
      connectionString: postgres,
      logger,
      noHandleSignals: true,
      maxPoolSize: options.concurrency + 2,
      concurrentJobs: options.concurrency,
      taskList: { none: async () => undefined },
      ...options.preset,
    });
    runner.events.on("job:success", count.one);
    return {
      async run() {
        await utils.withPgClient((client) =>
          client.query(
            "select graphile_worker.add_job('none', json_build_object('index', i)) from generate_series(1, $1) as i",
            [jobs],
          ),
        );
        await count.done;
      },
      async stop() {
        await runner.stop();
        await utils.release();
      },
    };
  },

  async "pg-boss"() {
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss({ connectionString: postgres, supervise: false, schedule: false });
    boss.on("error", () => undefined);
    await boss.start();
    const name = randomUUID();
    await boss.createQueue(name);
    return {
      async run() {
        const inserting = (async () => {
          for (const size of batchesOf(500)) {
            await boss.insert(
              name,
              Array.from({ length: size }, (_, index) => ({ data: { index } })),
            );
          }
        })();
        for (let completed = 0; completed < jobs; ) {
          const batch = await boss.fetch(name, { batchSize: 500 });
          if (batch.length > 0)
            await boss.complete(
              name,
              batch.map(({ id }) => id),
            );
          completed += batch.length;
        }
        await inserting;
      },
      stop: () => boss.stop({ graceful: false }),
    };
  },
};

const open = {
  bullmq: queues.bullmq,
  graphile: queues.graphile({ concurrency: 10, preset: {} }),
  "graphile-tuned": queues.graphile({
    concurrency: 24,
    preset: {
      preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
  }),
  "pg-boss": queues["pg-boss"],
}[queue];
if (open === undefined) throw new Error(`unknown queue ${queue}`);

const seconds = [];
for (let round = 0; round < rounds; round += 1) {
  const opened = await open();
  const from = performance.now();
  await opened.run();
  seconds.push((performance.now() - from) / 1000);
  await opened.stop();
}
process.stdout.write(JSON.stringify(seconds));
process.exit(0);
