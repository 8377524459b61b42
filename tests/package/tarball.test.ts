import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { pack, ROOT, runNode } from "./consumer-project.js";
import { tool } from "./installed-package.js";

it("the package adds nothing to a bundle that imports it without using it", async () => {
  const entries = [
    "index",
    "cache",
    "checkpoint-store",
    "checkpoint-store/redis",
    "checkpoint-store/sqlite",
    "conformance",
    "db",
    "inspector",
    "migrations",
    "serde",
    "store",
  ];
  const modules = entries.map((entry) => join(ROOT, "dist", `${entry}.js`));
  expect(await runNode(ROOT, join(ROOT, "tests/package/bundle-nothing.js"), ...modules)).toEqual({
    code: 0,
    output: "",
  });
});

it("the package passes publint", async () => {
  const outcome = await runNode(ROOT, tool("publint/src/cli.js"), "run", await pack(), "--strict");
  expect(outcome).toEqual({ code: 0, output: expect.stringContaining("All good!") });
});
