import { setImmediate } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import { Trimming } from "./trimming.js";

it("a cache that grows during a sweep is swept once more, by one sweep at a time, also after a failure", async () => {
  const sweeps: { readonly end: (result: unknown) => void; readonly fail: (error: Error) => void }[] = [];
  const trimming = new Trimming(
    () =>
      new Promise((end, fail) => {
        sweeps.push({ end, fail });
      }),
  );
  trimming.begin();
  trimming.begin();
  expect(sweeps).toHaveLength(1);
  trimming.begin();
  sweeps[0]?.fail(new Error("no database"));
  await setImmediate();
  expect(sweeps).toHaveLength(2);
  sweeps[1]?.end(0);
  await setImmediate();
  expect(sweeps).toHaveLength(2);
  trimming.begin();
  expect(sweeps).toHaveLength(3);
});
