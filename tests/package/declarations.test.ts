import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type InstalledPackage, installPackage } from "./installed-package.js";
import { NO_MISTAKES, typeCheckConsumers } from "./type-check.js";

// TypeScript reads all declarations of LangChain, which is slow on a busy machine.
const TYPE_CHECK_TIMEOUT_MS = 240_000;

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed.project.remove());

it.each([
  ["the newest Kysely", "kysely"],
  ["the oldest Kysely of the peer range", "kysely-oldest"],
])(
  "the declarations of the published package type-check in a strict project that checks libraries, with %s",
  async (_, kysely) => {
    await installed.project.replace("kysely", kysely);
    const options = { module: "node16", moduleResolution: "node16", skipLibCheck: false };
    expect(await typeCheckConsumers(installed.project, options)).toEqual(NO_MISTAKES);
  },
  TYPE_CHECK_TIMEOUT_MS,
);
