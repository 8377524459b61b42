import { describeLateStatements } from "./late-statements.js";

describeLateStatements("an owned pool", (opened, config, options) => opened.saver(config, options));
