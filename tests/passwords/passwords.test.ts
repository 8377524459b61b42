import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, guardPool, InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { runs } from "../support/runs.js";
import { describeServer } from "../support/targets.js";
import fc from "fast-check";
import { mistakesOf, standsForName } from "./mistakes.js";
import { READABLE, UNREADABLE, type UrlParts } from "../../src/db/pool/test-support/mistyped-urls.js";
import { shownByCommands, shownByLibrary, spellingsOf } from "./outlets.js";

const PASSWORD = "Hunter2Secret";

const pools: pg.Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

function lentPool(options: pg.PoolConfig): pg.Pool {
  const pool = guardPool(new pg.Pool(options));
  pools.push(pool);
  return pool;
}

function lentKysely(connectionString: string): Kysely<CheckpointDatabase> {
  const pool = lentPool({ connectionString });
  return new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
}

function expectSecrecy(shown: string, password = PASSWORD): void {
  const spellings = spellingsOf(password);
  const telling = shown.split("\n").filter((line) => spellings.some((spelling) => line.includes(spelling)));
  expect(telling.slice(0, 3)).toEqual([]);
}

const ENVIRONMENT = ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"];

describeServer("a password is shown nowhere", (target) => {
  const before = ENVIRONMENT.map((name) => [name, process.env[name]] as const);
  let parts: UrlParts;

  beforeAll(async () => {
    const { source } = await target.createDatabase();
    const { host, hostname, port, username, password, pathname } = new URL(source);
    parts = { user: "app", password: PASSWORD, server: host, database: pathname.slice(1) };
    // Connection strings without a host lead to the server then, which quotes what it does not know.
    const here = [hostname, port, username, password, pathname.slice(1)];
    for (const [index, name] of ENVIRONMENT.entries()) process.env[name] = here[index];
  });
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });

  it.each(UNREADABLE)("of a connection string that is refused: %s", async (_what, mistype) => {
    const url = mistype(parts);
    const folderBefore = await readdir(".");
    expect(() => new PostgresSaver(url)).toThrow(InvalidConfigError);
    expectSecrecy(await shownByLibrary(() => url));
    expectSecrecy(await shownByLibrary(() => lentPool({ connectionString: url })));
    expectSecrecy(await shownByCommands(url));
    expect(await readdir(".")).toEqual(folderBefore);
  });

  it.each(READABLE)("of a connection string that is used: %s", async (_what, mistype) => {
    const url = mistype(parts);
    for (const open of [
      () => url,
      () => ({ connectionString: url }),
      () => lentPool({ connectionString: url }),
    ]) {
      const shown = await shownByLibrary(open);
      expect(shown).toMatch(/CONNECTION_FAILED|DATABASE_ERROR/);
      expectSecrecy(shown);
    }
    expectSecrecy(await shownByCommands(url));
  });

  // Of these a piece of the password stands where the host stands, in a pool of the caller's own that can't be asked.
  const asHost = ["an @ and a / in the password", "an @ and a ? in the password"];

  it.each(UNREADABLE.filter(([what]) => !asHost.includes(what)))(
    "by a Kysely whose pool can't be seen: %s",
    async (_what, mistype) => {
      expectSecrecy(await shownByLibrary(() => lentKysely(mistype(parts))));
    },
  );

  it("of a connection string with any mistakes", async () => {
    const secrets = fc.constantFrom(
      PASSWORD,
      "Hunter2-Ünï%41Secret",
      "Hunter2:Secret@Tail/x?y=z#q",
      "50%Hunter2",
    );
    const cases = secrets.chain((secret) =>
      mistakesOf({ ...parts, password: encodeURIComponent(secret) }).map((url) => ({ secret, url })),
    );
    const folderBefore = await readdir(".");
    await fc.assert(
      fc.asyncProperty(cases, async ({ secret, url }) => {
        fc.pre(!standsForName(url, secret));
        expectSecrecy(await shownByLibrary(() => url), secret);
        expectSecrecy(await shownByLibrary(() => lentPool({ connectionString: url })), secret);
        expectSecrecy(await shownByCommands(url), secret);
        expect(await readdir(".")).toEqual(folderBefore);
      }),
      runs(60),
    );
  });
});
