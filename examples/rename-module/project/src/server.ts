import { createServer } from "node:http";
import { readConf } from "./conf.ts";

const { port, greeting } = readConf(process.env);

createServer((_, response) => response.end(`${greeting}\n`)).listen(port);
