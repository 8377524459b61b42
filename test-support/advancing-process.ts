import { ConcurrentModificationError, PostgresSaver } from "../src/index.js";
import { threadConfig } from "./checkpoints.js";
import { listCheckpoint, putFrom } from "./put-from.js";

/**
 * A process that continues a thread a number of times, each time from the newest checkpoint that it reads, and prints
 * how many of its checkpoints were stored. It starts when something is written to its standard input.
 *
 * Arguments: the database's connection string, the thread and the number of attempts.
 */
const [url = "", thread = "", attempts = ""] = process.argv.slice(2);
const saver = new PostgresSaver(url, undefined, { concurrency: "optimistic" });
await saver.getTuple(threadConfig(thread));
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
let stored = 0;
for (let attempt = 0; attempt < Number(attempts); attempt++) {
  const head = await saver.getTuple(threadConfig(thread));
  try {
    await putFrom(
      saver,
      "loop",
      head?.config ?? threadConfig(thread),
      listCheckpoint([process.pid, attempt]),
    );
    stored++;
  } catch (error) {
    if (!(error instanceof ConcurrentModificationError)) throw error;
  }
}
await saver.end();
process.stdout.write(String(stored));
process.stdin.destroy();
