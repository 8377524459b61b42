import { describeUnstoppedStatements } from "./unstopped-statements.js";

describeUnstoppedStatements("an owned pool", (opened, config, options) => opened.saver(config, options));
