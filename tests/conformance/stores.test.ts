import { it } from "@jest/globals";
import { type CreateStore, storeSuite } from "../../src/conformance/index.js";
import { describeEachTarget, describeVectors } from "../../test-support/targets.js";
import { elapse } from "../store/elapse.js";
import { useStore } from "../store/stored.js";

describeEachTarget("PostgresStore", (target) => {
  const suite = useStore(target);
  const cases = storeSuite(
    ({ ttl }) =>
      Promise.resolve({
        store: ttl === undefined ? suite.store : suite.open({ ttl, ensureTables: false }),
        elapse: (minutes) => elapse(suite.database, minutes),
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
