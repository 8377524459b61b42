import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { until } from "../../test-support/until.js";
import { startClocked } from "./clocked-retention.js";

/**
 * A process with a retention that has run a round, and holds its lock. With `hold` it stays until it is killed; otherwise it has
 * nothing else to do. Arguments: a connection string, and what to do.
 */
const [connectionString, task] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, allowExitOnIdle: true });
const saver = new PostgresSaver(pool);
const { round } = startClocked(saver, { keepLast: 1 });
await round();
// With timers of its own.
saver.startRetention({ every: 60_000, keepLast: 1 });
process.stdout.write("done");
if (task === "hold") await until(() => false);
