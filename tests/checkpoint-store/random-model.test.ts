import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { BackendCheckpointStore } from "../../src/checkpoint-store/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachKind } from "./backends.js";
import { type AnyCall, checkpointOf, histories, scopeOf } from "./model/any-call.js";
import { resultOf } from "./model/result-of.js";
import { ModelStore } from "./model/model-store.js";

describeEachKind("random calls", (suite) => {
  it("return what a plain list returns", async () => {
    const unchecked = await suite.open();
    const optimistic = new BackendCheckpointStore(unchecked.backend, { concurrency: "optimistic" });
    const property = fc.asyncProperty(histories, async (history) => {
      const [model, prefix] = [new ModelStore(), `${randomUUID()} `];
      for (const call of history) {
        expect(await resultOf({ unchecked, optimistic }, call, prefix)).toStrictEqual(
          modelled(model, call, prefix),
        );
      }
    });
    await fc.assert(property, runs(100));
  });
});

function modelled(model: ModelStore, call: AnyCall, prefix: string): unknown {
  switch (call.kind) {
    case "save": {
      const { checkpoint, keepLast, optimistic } = call;
      const { listedId, threadId } = checkpoint;
      if (keepLast !== undefined && (listedId ?? threadId) === undefined)
        return { invalid: "options.keepLast" };
      const storedVersion = model.save(checkpointOf(checkpoint, prefix), keepLast, optimistic);
      return storedVersion === undefined ? undefined : { storedVersion };
    }
    case "saveMany": {
      const { keepLast, optimistic } = call;
      const isListed = call.checkpoints.every(
        ({ listedId, threadId }) => (listedId ?? threadId) !== undefined,
      );
      if (keepLast !== undefined && !isListed) return { invalid: "options.keepLast" };
      const checkpoints = call.checkpoints.map((each) => checkpointOf(each, prefix));
      const storedVersion = model.saveMany(checkpoints, keepLast, optimistic);
      return storedVersion === undefined ? undefined : { storedVersion };
    }
    case "load":
      return model.load(prefix + call.id) ?? { notFound: prefix + call.id };
    case "list": {
      const listed = model.list(scopeOf(call.scope, prefix));
      return (call.order === "asc" ? listed : listed.reverse()).slice(0, call.limit);
    }
    case "latest":
      return model.list(scopeOf(call.scope, prefix)).at(-1);
    case "delete":
      return model.delete(prefix + call.id);
    case "clear":
      return model.clear(scopeOf(call.scope, prefix));
  }
}
