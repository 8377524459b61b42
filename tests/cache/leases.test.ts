import { expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import type { BoundStatement } from "../../src/db/statements/statement.js";
import { type Lease, type LeaseRow, releaseLease, takeLease } from "../../src/cache/queries/lease.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { later, useCache } from "./cached.js";

const ENTRY = { namespace: '["a"]', key: "k" };
const OTHERS = [
  { namespace: '["b"]', key: "k" },
  { namespace: '["a"]', key: "l" },
];

describeAnyTarget("the lease of an entry", (target) => {
  const suite = useCache(target);
  const leaseOf = ({ namespace, key }: typeof ENTRY, token: string): Lease => ({
    ...{ place: { namespace: `lease${namespace}`, key }, token, seconds: 60 },
  });
  async function run<Row>({ sql, parameters }: BoundStatement<Row>): Promise<Row[]> {
    return (await suite.database.kysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows;
  }
  const take = async (token: string, entry = ENTRY): Promise<LeaseRow | undefined> =>
    (await run(takeLease("public", entry, leaseOf(entry, token))))[0];
  const release = (token: string, entry = ENTRY) => run(releaseLease("public", leaseOf(entry, token)));

  const TAKEN = { type: null, base64: null, is_taken: true };
  const HELD = { ...TAKEN, is_taken: false };

  it("has one holder, who may ask again, until it is released or has expired", async () => {
    expect(await take("one")).toEqual(TAKEN);
    expect(await take("two")).toEqual(HELD);
    // The answer was lost, so the statement is sent again (C6).
    expect(await take("one")).toEqual(TAKEN);
    // Only its holder releases it.
    await release("two");
    expect(await take("two")).toEqual(HELD);
    await release("one");
    expect(await take("two")).toEqual(TAKEN);
    await suite.database.exec(later(61));
    expect(await take("three")).toEqual(TAKEN);
    await release("two");
    expect(await take("two")).toEqual(HELD);
  });

  it("is that of one entry, which is read instead where it is stored and has not expired", async () => {
    for (const [n, entry] of [ENTRY, ...OTHERS].entries()) expect(await take(`${n}`, entry)).toEqual(TAKEN);
    await suite.database.query(
      `insert into cache_entries (namespace, key, type, value, size, created_at, expires_at)
       values ($1, $2, 'json', '1', 1, now(), now() + interval '30 s')`,
      [ENTRY.namespace, ENTRY.key],
    );
    await suite.database.exec("delete from cache_entries where namespace like 'lease%'");
    expect(await take("one")).toEqual({ type: "json", base64: "MQ==", is_taken: false });
    for (const entry of OTHERS) expect(await take("one", entry)).toEqual(TAKEN);
    await suite.database.exec(later(31));
    expect(await take("one")).toEqual(TAKEN);
  });
});
