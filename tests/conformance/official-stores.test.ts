import { beforeAll, expect, it } from "@jest/globals";
import * as installed from "@langchain/langgraph-checkpoint";
import { PostgresStore as OfficialStore } from "@langchain/langgraph-checkpoint-postgres/store";
import * as oldest from "langgraph-checkpoint-oldest";
import { type CreateStore, storeSuite, type SuiteCase } from "../../src/conformance/index.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { elapse } from "../store/elapse.js";
import { FAILURES_OF_NEWEST, FAILURES_OF_OLDEST } from "./failures-in-memory.js";
import { FAILURES_OF_OFFICIAL_STORE } from "./failures-of-official-store.js";
import { namesIn } from "./known-failures.js";

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
        elapse: (minutes) => elapse(database, minutes),
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
