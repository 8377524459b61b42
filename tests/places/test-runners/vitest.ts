import type { Place } from "../place.js";

const TEST = `
import { test } from "vitest";
import { runAgent } from "./agent.mjs";
test("the agent runs", async () => {
  console.log(await runAgent(process.env.DATABASE_URL));
});
`;

export const vitest: Place = {
  name: "Vitest",
  kind: "Tests",
  packages: { vitest: "5.1.2" },
  tried: { Vitest: "vitest" },
  trials: {
    "ES modules": async (project) => {
      await project.write({ "agent.test.mjs": TEST });
      return project.node(await project.bin("vitest"), "run");
    },
  },
};
