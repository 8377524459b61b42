import { pythonEnvironment } from "./python-environment.js";

// What the tests between Python and TypeScript do first, for a gate that has something else to do meanwhile.
await pythonEnvironment();
