import { it } from "@jest/globals";
import { checkpointStoreSuite } from "../../src/conformance/index.js";
import { describeEachKind } from "./backends.js";

describeEachKind("the checkpoint store suite", (suite) => {
  const cases = checkpointStoreSuite(async (options) => ({ store: await suite.open(options) }));

  it.each(cases)("$name", ({ run }) => run());
});
