/** The process of one act, which prints the story to its standard output: `node act.ts '{"act":"begin",…}'`. */
import { CheckpointError, PostgresSaver } from "../../src/index.js";
import { parseActOrders } from "./act-orders.js";
import { ACTS } from "./acts.js";
import { Journal } from "./journal.js";

const { act, url, schema, threadId, journal } = parseActOrders(process.argv.slice(2));
await using saver = PostgresSaver.fromConnString(url, { schema });
try {
  await ACTS[act]({ saver, threadId, journal: new Journal(journal) });
} catch (error) {
  console.error(error instanceof CheckpointError ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
