import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { type CacheFullKey, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { AesGcmSerializer, CompressedSerializer, EncryptedSerializer } from "../../src/serde/index.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

const at = (key: string, ...namespace: string[]): CacheFullKey => [namespace, key];
const secret = [["messages", [new HumanMessage(`secret ${"x".repeat(5_000)}`)]]];
const aes = (key = randomBytes(32)) =>
  new AesGcmSerializer(new CompressedSerializer(), { keys: [{ id: "1", key }], strict: true });

describeAnyTarget("a cache with another serializer", (target) => {
  const suite = useCache(target);

  it.each([
    ["AES-GCM over compression", aes()],
    ["Python's AES-EAX", EncryptedSerializer.fromAesKey(randomBytes(32))],
  ])("stores nothing readable: %s", async (_name, serde) => {
    const cache = suite.open({ serde });
    await cache.set([{ key: at("k", "ns"), value: secret }]);
    expect(await cache.get([at("k", "ns")])).toEqual([{ key: at("k", "ns"), value: secret }]);
    const rows = await suite.database.query(
      "select type from cache_entries where value::text like '%736563726574%' or size > 4000 and type like '%zstd%'",
    );
    expect(rows).toEqual([]);
  });

  it("does not find an entry that was moved to another place, or that is not encrypted", async () => {
    const serde = aes();
    const cache = suite.open({ serde });
    const graph = suite.open({ serde, keyPrefix: "graph" });
    const from = at("k", "ns");
    const moves = [
      { of: cache, to: at("other", "ns"), change: "key = 'other'" },
      { of: cache, to: at("k", "other"), change: `namespace = '["other"]'` },
      { of: graph, to: from, change: `namespace = '"graph"["ns"]'` },
    ];
    for (const { of, to, change } of moves) {
      await cache.set([{ key: from, value: secret }]);
      await suite.database.exec(`update cache_entries set ${change}`);
      expect(await of.get([to])).toEqual([]);
      await suite.database.exec("delete from cache_entries");
    }
    expect(cache.counts.unreadable + graph.counts.unreadable).toBe(3);
    await suite.cache.set([{ key: from, value: "planted" }]);
    expect(await cache.get([from])).toEqual([]);
  });

  it("computes again what it has no key for", async () => {
    const [cache, other] = [suite.open({ serde: aes() }), suite.open({ serde: aes() })];
    await cache.set([{ key: at("k", "ns"), value: 1 }]);
    expect(await other.get([at("k", "ns")])).toEqual([]);
    await other.set([{ key: at("k", "ns"), value: 2 }]);
    expect(await other.get([at("k", "ns")])).toMatchObject([{ value: 2 }]);
  });

  it("takes LangGraph's own, and one that replaces it later", async () => {
    const cache = suite.open({ serde: new JsonPlusSerializer() });
    await cache.set([{ key: at("k", "ns"), value: secret }]);
    expect(await cache.get([at("k", "ns")])).toMatchObject([{ value: secret }]);
    cache.serde = aes();
    expect(await cache.get([at("k", "ns")])).toEqual([]);
    for (const none of [{}, null, ""]) expect(() => suite.open({ serde: none as never })).toThrow("serde");
  });
});
