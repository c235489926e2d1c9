import { readConf } from "./conf.ts";

const { port } = readConf(process.env);
if (!Number.isInteger(port)) throw new Error("PORT must be a whole number");
