import { POOLS } from "./held-calls.js";
import { describeLateStatements } from "./late-statements.js";

describeLateStatements(POOLS);
