import { writeSync } from "node:fs";
import { startEmulators } from "./start-emulators.ts";

// A program of its own for tests that kill it: starts the emulators on a directory, says where, and stays.
const dataDir = process.argv[2];
const emulators = await startEmulators(dataDir === undefined ? {} : { dataDir });
writeSync(1, `${JSON.stringify(emulators)}\n`);
process.stdin.resume();
