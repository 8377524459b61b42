import { describe, it } from "@jest/globals";
import { checkpointStoreSuite } from "../../src/conformance/index.js";
import { MemoryCheckpointStore } from "../../src/checkpoint-store/index.js";

describe("checkpoint store in memory", () => {
  const cases = checkpointStoreSuite((options) =>
    Promise.resolve({ store: new MemoryCheckpointStore(options) }),
  );
  it.each(cases)("$name", ({ run }) => run());
});
