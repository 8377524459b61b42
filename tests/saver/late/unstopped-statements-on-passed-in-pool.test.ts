import { describeUnstoppedStatements } from "./unstopped-statements.js";

describeUnstoppedStatements("a passed-in pool", (opened, config, options) =>
  opened.saver(opened.pool(config), options),
);
