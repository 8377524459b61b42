import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresStore } from "../../src/store/index.js";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { runs } from "../../test-support/runs.js";
import { describeVectors } from "../../test-support/targets.js";

const caller = new AsyncLocalStorage<string>();
const CALLERS = ["ada", "bob", "eve"];

/** The texts of items, and who must be the caller where code of the application sees them. */
const ownerOf = (text: string): string | undefined => /of (\w+)/.exec(text)?.[1];

interface Call {
  readonly user: string;
  readonly kind: "put" | "putMany" | "update" | "search" | "get" | "delete";
  readonly key: string;
  readonly word: string;
}

const anyCall: fc.Arbitrary<Call> = fc.record({
  user: fc.constantFrom(...CALLERS),
  kind: fc.constantFrom("put", "put", "put", "putMany", "update", "search", "get", "delete"),
  key: fc.constantFrom("1", "2"),
  word: fc.constantFrom("tea", "rain", "salt", "fails"),
});

describeVectors("code of the application that the calls of a store run", (target) => {
  /** What ran in the context of somebody else. */
  const foreign: string[] = [];
  let embedded: string[][] = [];
  let store: PostgresStore;

  const see = (what: string, text: string): void => {
    const owner = ownerOf(text);
    if (owner !== undefined && owner !== caller.getStore())
      foreign.push(`${what} of "${text}" in the context of ${String(caller.getStore())}`);
  };
  const serde: SerializerProtocol = {
    dumpsTyped: (value: unknown) => {
      const text = JSON.stringify(value);
      see("dumps", text);
      return Promise.resolve(["json", new TextEncoder().encode(text)]);
    },
    loadsTyped: (_type, data) => {
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      see("loads", text);
      return Promise.resolve(JSON.parse(text) as unknown);
    },
  };
  const embed = async (texts: string[]): Promise<number[][]> => {
    embedded.push(texts);
    for (const text of texts) see("embed", text);
    await Promise.resolve();
    if (texts.some((text) => text.startsWith("fails"))) throw new Error(`no vector of ${texts.join()}`);
    return texts.map(({ length }) => [length, 1, 1]);
  };
  const log = (_message: string, fields: { readonly error?: unknown }): void => {
    see("log", String(fields.error));
  };

  beforeAll(async () => {
    const database = await target.createDatabase();
    store = new PostgresStore(database.source, {
      serde,
      logger: { warn: log, error: log },
      index: { dims: 3, embed, model: "lengths", fields: ["text"] },
    });
    await store.setup();
  });
  afterAll(() => store.end());

  const run = ({ user, kind, key, word }: Call): Promise<unknown> =>
    caller.run(user, async () => {
      const namespace = ["users", user];
      const value = { text: `${word} of ${user}` };
      if (kind === "put") await store.put(namespace, key, value);
      else if (kind === "putMany") await store.putMany([{ namespace, key, value }]);
      else if (kind === "update") {
        await store.update(namespace, key, () => {
          see("update", value.text);
          return value;
        });
      } else if (kind === "search") await store.search(namespace, { query: value.text });
      else if (kind === "get") await store.get(namespace, key);
      else await store.delete(namespace, key);
      // What comes after a call runs in the context of its caller too.
      see("caller", value.text);
    });

  it("runs in the context of the call whose data it sees (C20)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 2, maxLength: 10 }), async (calls) => {
        await Promise.allSettled(calls.map(run));
        expect(foreign).toEqual([]);
      }),
      runs(60),
    );
  });

  it("embeds the texts of a caller in one call, and those of each caller by themselves", async () => {
    embedded = [];
    const text = (user: string, nth: number) => ({ text: `new ${nth} of ${user}` });
    await Promise.all([
      ...CALLERS.map((user) => caller.run(user, () => store.put(["new", user], "1", text(user, 1)))),
      caller.run("joe", () =>
        store.putMany(
          [1, 2].map((nth) => ({ namespace: ["new", "joe"], key: String(nth), value: text("joe", nth) })),
        ),
      ),
    ]);
    expect(embedded.map((texts) => texts.join()).toSorted()).toEqual([
      "new 1 of ada",
      "new 1 of bob",
      "new 1 of eve",
      "new 1 of joe,new 2 of joe",
    ]);
    expect(foreign).toEqual([]);
  });

  it("is reported of each call, with an error of its own", async () => {
    const failing = CALLERS.map((user) =>
      caller.run(user, () => store.put(["failing", user], "1", { text: `fails of ${user}` })),
    );
    const outcomes = await Promise.allSettled(failing);
    const reasons = outcomes.map((outcome) =>
      outcome.status === "rejected" ? String(outcome.reason) : "stored",
    );
    expect(reasons).toEqual(CALLERS.map((user) => `Error: no vector of fails of ${user}`));
    expect(foreign).toEqual([]);
  });
});
