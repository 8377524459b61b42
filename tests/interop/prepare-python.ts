import { pythonEnvironment } from "./python-environment.js";

// Prepares the Python environment of these tests, so that a gate can do so in parallel to other work.
await pythonEnvironment();
