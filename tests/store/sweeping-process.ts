import pg from "pg";
import { PostgresStore } from "../../src/store/index.js";

/** A process that sweeps every hour, and has nothing else to do once its item is stored. Its argument is a connection string. */
const pool = new pg.Pool({ connectionString: process.argv[2], allowExitOnIdle: true });
const store = new PostgresStore(pool, { ttl: { defaultTtl: 1, sweepIntervalMinutes: 60 } });
await store.put(["a"], "k", {});
process.stdout.write("stored");
