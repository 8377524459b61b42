import { beforeAll, expect, it } from "@jest/globals";
import * as installed from "@langchain/langgraph-checkpoint";
import { PostgresStore as OfficialStore } from "@langchain/langgraph-checkpoint-postgres/store";
import * as oldest from "langgraph-checkpoint-oldest";
import { type CreateStore, storeSuite, type SuiteCase } from "../../src/conformance/index.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  describeVectors,
  type TestDatabase,
} from "../../test-support/targets.js";
import { useStore } from "../store/stored.js";
import { FAILURES_OF_NEWEST, FAILURES_OF_OLDEST } from "./failures-in-memory.js";
import { FAILURES_OF_OFFICIAL_STORE } from "./failures-of-official-store.js";
import { namesIn } from "./known-failures.js";

const ELAPSE = "update store set expires_at = expires_at - $1::float8 * interval '1 minute'";

describeEachTarget("PostgresStore", (target) => {
  const suite = useStore(target);
  const cases = storeSuite(
    ({ ttl }) =>
      Promise.resolve({
        store: ttl === undefined ? suite.store : suite.open({ ttl, ensureTables: false }),
        elapse: async (minutes) => {
          await suite.database.query(ELAPSE, [minutes]);
        },
      }),
    { combinedFilters: true, ttl: true },
  );

  it.each(cases)("$name", ({ run }) => run());
});

describeVectors("PostgresStore with an index", (target) => {
  const suite = useStore(target);
  const create: CreateStore = ({ index }) => Promise.resolve({ store: suite.open({ index }) });
  const others = new Set(storeSuite(create).map(({ name }) => name));
  const cases = storeSuite(create, { vectors: true }).filter(({ name }) => !others.has(name));

  it.each(cases)("$name", ({ run }) => run());
});

it.each([
  ["installed", installed],
  ["oldest", oldest],
])("the %s InMemoryStore fails exactly what is listed", async (_, { InMemoryStore, ...exported }) => {
  const create: CreateStore = ({ index }) =>
    Promise.resolve({ store: new InMemoryStore(index === undefined ? {} : { index }) });
  // The installed version may be the oldest one. It lacks this function.
  const failures = "validateNamespace" in exported ? FAILURES_OF_NEWEST : FAILURES_OF_OLDEST;
  expect(await failuresOf(storeSuite(create, { vectors: true }))).toEqual(namesIn(failures));
});

const describeOfficial = onOneServer("its order of namespaces is that of another server", describeServer);

describeOfficial("the official PostgresStore", (target) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await target.createDatabase();
    const store = new OfficialStore({ connectionOptions: database.source });
    await store.setup();
    await store.stop();
  });

  it("fails exactly what is listed", async () => {
    const create: CreateStore = async ({ ttl }) => {
      await database.exec("delete from store");
      const store = new OfficialStore({
        connectionOptions: database.source,
        ensureTables: false,
        ...(ttl && { ttl }),
      });
      return {
        store,
        close: () => store.stop(),
        elapse: async (minutes) => {
          await database.query(ELAPSE, [minutes]);
        },
      };
    };
    expect(await failuresOf(storeSuite(create, { ttl: true }))).toEqual(namesIn(FAILURES_OF_OFFICIAL_STORE));
  });
});

/** The names of the cases that a store fails, sorted. */
async function failuresOf(cases: readonly SuiteCase[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of cases) await run().catch(() => failures.push(name));
  return failures.sort();
}
