import { onPassedInPool } from "./held-calls.js";
import { describeLateStatements } from "./late-statements.js";

describeLateStatements("a passed-in pool", onPassedInPool);
