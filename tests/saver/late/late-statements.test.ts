import { onOwnedPool } from "./held-calls.js";
import { describeLateStatements } from "./late-statements.js";

describeLateStatements("an owned pool", onOwnedPool);
