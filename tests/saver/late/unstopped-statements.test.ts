import { onOwnedPool } from "./held-calls.js";
import { describeUnstoppedStatements } from "./unstopped-statements.js";

describeUnstoppedStatements("an owned pool", onOwnedPool);
