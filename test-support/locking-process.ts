import { PostgresSaver } from "../src/index.js";
import { openLog } from "./run-log.js";

/**
 * A process that locks a thread: `runs` times in a row, each recorded in the log of the database; or, with `hold`,
 * once until it is killed. Then it prints that it has the lock.
 *
 * Arguments: the database's connection string, the thread, and what to do.
 */
const [url = "", thread = "", task = ""] = process.argv.slice(2);
const saver = new PostgresSaver(url);
if (task === "hold") {
  await saver.withThreadLock(thread, () => {
    process.stdout.write("locked");
    return new Promise(() => setInterval(() => undefined, 1_000));
  });
} else {
  const log = openLog(url);
  for (let run = 0; run < Number(task); run++) await saver.withThreadLock(thread, () => log.run(process.pid));
  await log.close();
}
await saver.end();
