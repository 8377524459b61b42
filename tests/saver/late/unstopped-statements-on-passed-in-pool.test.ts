import { onPassedInPool } from "./held-calls.js";
import { describeUnstoppedStatements } from "./unstopped-statements.js";

describeUnstoppedStatements("a passed-in pool", onPassedInPool);
