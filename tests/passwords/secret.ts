import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import pg from "pg";
import { handlePoolErrors } from "../../src/index.js";
import type { UrlParts } from "../../src/db/pool/test-support/mistyped-urls.js";
import type { Target } from "../../test-support/targets.js";
import { spellingsOf } from "./shown-text.js";

export const PASSWORD = "Hunter2Secret";

const ENVIRONMENT = ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"];

const pools: pg.Pool[] = [];

/** Opens a pool of the application, which {@link useSecretUrls} ends after the test. */
export function passedInPool(options: pg.PoolConfig): pg.Pool {
  const pool = handlePoolErrors(new pg.Pool(options));
  pools.push(pool);
  return pool;
}

export function expectSecrecy(shown: string, password = PASSWORD): void {
  const spellings = spellingsOf(password);
  const leaks = shown.split("\n").filter((line) => spellings.some((spelling) => line.includes(spelling)));
  expect(leaks.slice(0, 3)).toEqual([]);
}

/** Returns the parts of URLs with a password, once the tests of the suite run. */
export function useSecretUrls(target: Target<string>): () => UrlParts {
  const before = ENVIRONMENT.map((name) => [name, process.env[name]] as const);
  let parts: UrlParts;

  beforeAll(async () => {
    const { source } = await target.createDatabase();
    const { host, hostname, port, username, password, pathname } = new URL(source);
    parts = { user: "app", password: PASSWORD, server: host, database: pathname.slice(1) };
    // Connection strings without a host lead to the test server, which quotes unknown names.
    const here = [hostname, port, username, password, pathname.slice(1)];
    for (const [index, name] of ENVIRONMENT.entries()) process.env[name] = here[index];
  });
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.end();
  });
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
  return () => parts;
}
