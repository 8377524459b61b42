import process from "node:process";
import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";

const FILES: Readonly<Record<string, RegExp>> = { es: /\/dist\/[^/]+\.js:/, cjs: /\/dist\/[^/]+\.cjs:/ };

it("runs what TEST_BUILD names, or the sources", async () => {
  const files = FILES[process.env.TEST_BUILD ?? ""] ?? /\/src\/.+\.ts:/;
  const setup = PostgresSaver.fromConnString("mysql://").setup();
  await expect(setup).rejects.toMatchObject({ stack: expect.stringMatching(files) });
});
