/**
 * Shows checkpoints of a graph that has no checkpointer. It needs no API key and no network:
 *
 *     npm run demo:checkpoints                       the pipeline on a PGlite in memory
 *     npm run demo:checkpoints -- postgres [url]     on your server
 *     npm run demo:checkpoints -- memory
 *     npm run demo:checkpoints -- sqlite [path]
 *     npm run demo:checkpoints -- redis [url]        or REDIS_URL
 *     npm run demo:checkpoints -- resume [url]       a job that continues in another process; CRASH=true ends the first one
 */
const [, , name = "postgres", place] = process.argv;

// Each backend is imported alone, so that the drivers of the others need not be installed.
switch (name) {
  case "memory":
    await (await import("./memory.js")).playInMemory();
    break;
  case "postgres":
    await (await import("./postgres.js")).playInPostgres(place);
    break;
  case "sqlite":
    await (await import("./sqlite.js")).playInSqlite(place);
    break;
  case "redis":
    await (await import("./redis.js")).playInRedis(place);
    break;
  case "resume":
    await (await import("./resume.js")).playResume(place);
    break;
  default:
    throw new Error(`There is no example "${name}": memory, postgres, sqlite, redis or resume`);
}
