import { describeLateStatements } from "./late-statements.js";

describeLateStatements("a passed-in pool", (opened, config, options) =>
  opened.saver(opened.pool(config), options),
);
