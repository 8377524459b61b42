import { it } from "@jest/globals";
import { checkpointStoreSuite } from "../../src/conformance/index.js";
import { describeOtherDrivers } from "./backends.js";

describeOtherDrivers("the checkpoint store suite", (suite) => {
  const cases = checkpointStoreSuite(async (options) => ({ store: await suite.open(options) }));

  it.each(cases)("$name", ({ run }) => run());
});
