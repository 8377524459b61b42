import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresCache } from "../../src/cache/index.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const NAMESPACES = [["a"], ["a", "b"], ["ab"]];

type Step =
  | { readonly kind: "set"; readonly namespace: string[]; readonly n: number }
  | { readonly kind: "clear"; readonly namespace: string[] | undefined }
  | { readonly kind: "clearPrefix"; readonly namespace: string[] };

const anyNamespace = fc.constantFrom(...NAMESPACES);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), namespace: anyNamespace, n: fc.nat(9) }),
  fc.record({ kind: fc.constant("clear" as const), namespace: fc.option(anyNamespace, { nil: undefined }) }),
  fc.record({ kind: fc.constant("clearPrefix" as const), namespace: anyNamespace }),
);

describeAnyTarget("the calls of a cache that nobody awaits", (target) => {
  let cache: PostgresCache<number>;

  beforeAll(async () => {
    const database = await target.createDatabase();
    cache = new PostgresCache(database.source, { onError: "throw", deadlineMs: 60_000 });
    await cache.setup();
  });
  afterAll(() => cache.end());

  const run = (step: Step): Promise<void> => {
    if (step.kind === "set") return cache.set([{ key: [step.namespace, "1"], value: step.n }]);
    if (step.kind === "clearPrefix") return cache.clearPrefix(step.namespace);
    return cache.clear(step.namespace === undefined ? [] : [step.namespace]);
  };
  const apply = (entries: Map<string, number>, step: Step): void => {
    if (step.kind === "set") entries.set(step.namespace.join(), step.n);
    else if (step.kind === "clear" && step.namespace === undefined) entries.clear();
    else if (step.kind === "clear") entries.delete(String(step.namespace));
    else {
      for (const each of NAMESPACES)
        if (step.namespace.every((label, nth) => each[nth] === label)) entries.delete(each.join());
    }
  };

  it("leave what they leave one after another (C19)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 8 }), async (steps) => {
        await cache.clear([]);
        const entries = new Map<string, number>();
        for (const step of steps) apply(entries, step);
        await Promise.all(steps.map(run));
        const found = await cache.get(NAMESPACES.map((namespace) => [namespace, "1"]));
        expect(new Map(found.map(({ key, value }) => [key[0].join(), value]))).toEqual(entries);
      }),
      runs(40),
    );
  });
});
