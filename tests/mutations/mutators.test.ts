import { expect, it } from "@jest/globals";
import { EQUIVALENT } from "./equivalent.js";
import { listMutations } from "./list-mutations.js";

it("takes each condition, join column, bound and lock out of a query", async () => {
  const mutations = await listMutations(["src/saver/queries/held-rows.ts"]);
  expect(mutations.map(({ change }) => change)).toEqual(
    expect.arrayContaining([
      'withHeld.parent: where("checkpoint_ns", "=", parameter("checkpointNs")) → nothing',
      "withHeld.parent: forKeyShare() → nothing",
      'withBases: whereRef("stored.version", "=", "base.version") → nothing',
      "withBases: limit(sql.lit(1)) → nothing",
      "withHeld: !hasSplices → hasSplices",
    ]),
  );
});

it("turns an order around, and leaves out a call whose result nobody uses", async () => {
  const mutations = await listMutations(["src/saver/queries/table-page.ts", "src/db/pool/backend-fences.ts"]);
  const changes = mutations.map(({ change }) => change);
  expect(changes.filter((change) => change.endsWith('"asc")'))).not.toEqual([]);
  expect(changes.filter((change) => change.endsWith("→ void 0"))).not.toEqual([]);
});

it("still makes each mutation that is called equivalent", async () => {
  const files = [...new Set(EQUIVALENT.map(({ file }) => file))];
  const made = new Set((await listMutations(files)).map(({ file, change }) => `${file}: ${change}`));
  const named = EQUIVALENT.map(({ file, change }) => `${file}: ${change}`);
  expect(named.filter((each) => !made.has(each))).toEqual([]);
});
