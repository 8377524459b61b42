import { describeAgent } from "./describe-agent.js";
import { byJest } from "./test-runners/jest.js";

describeAgent("on this Node.js", ["jest"], {
  "ES modules": (project) => project.node("main.mjs"),
  CommonJS: (project) => project.node("main.cjs"),
  "CommonJS in Jest with its defaults": byJest(),
});
