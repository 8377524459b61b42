import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  handlePoolErrors,
  InvalidConfigError,
  PostgresSaver,
} from "../../src/index.js";
import { runs } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import fc from "fast-check";
import { mistakesOf, isInPlaceOfName } from "./mistakes.js";
import { READABLE, UNREADABLE, type UrlParts } from "../../src/db/pool/test-support/mistyped-urls.js";
import { shownByCommands, shownByLibrary, spellingsOf } from "./shown-text.js";

const PASSWORD = "Hunter2Secret";

const pools: pg.Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

function passedInPool(options: pg.PoolConfig): pg.Pool {
  const pool = handlePoolErrors(new pg.Pool(options));
  pools.push(pool);
  return pool;
}

function passedInKysely(connectionString: string): Kysely<CheckpointDatabase> {
  const pool = passedInPool({ connectionString });
  return new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
}

function expectSecrecy(shown: string, password = PASSWORD): void {
  const spellings = spellingsOf(password);
  const leaks = shown.split("\n").filter((line) => spellings.some((spelling) => line.includes(spelling)));
  expect(leaks.slice(0, 3)).toEqual([]);
}

const ENVIRONMENT = ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"];

describeServer("a password is never shown", (target) => {
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
    expectSecrecy(await shownByLibrary(() => passedInPool({ connectionString: url })));
    expectSecrecy(await shownByCommands(url));
    expect(await readdir(".")).toEqual(folderBefore);
  });

  it.each(READABLE)("of a connection string that is used: %s", async (_what, mistype) => {
    const url = mistype(parts);
    for (const open of [
      () => url,
      () => ({ connectionString: url }),
      () => passedInPool({ connectionString: url }),
    ]) {
      const shown = await shownByLibrary(open);
      expect(shown).toMatch(/CONNECTION_FAILED|DATABASE_ERROR/);
      expectSecrecy(shown);
    }
    expectSecrecy(await shownByCommands(url));
  });

  // In these, a piece of the password becomes the host, in an invisible pool.
  const asHost = ["an @ and a / in the password", "an @ and a ? in the password"];

  it.each(UNREADABLE.filter(([what]) => !asHost.includes(what)))(
    "of the invisible pool of a Kysely: %s",
    async (_what, mistype) => {
      expectSecrecy(await shownByLibrary(() => passedInKysely(mistype(parts))));
    },
  );

  it("of a connection string with random mistakes", async () => {
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
        fc.pre(!isInPlaceOfName(url, secret));
        expectSecrecy(await shownByLibrary(() => url), secret);
        expectSecrecy(await shownByLibrary(() => passedInPool({ connectionString: url })), secret);
        expectSecrecy(await shownByCommands(url), secret);
        expect(await readdir(".")).toEqual(folderBefore);
      }),
      runs(60),
    );
  });
});
