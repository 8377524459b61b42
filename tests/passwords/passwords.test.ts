import { readdir } from "node:fs/promises";
import { expect, it } from "@jest/globals";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { runs } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import fc from "fast-check";
import { mistakesOf, isInPlaceOfName } from "./mistakes.js";
import { READABLE, UNREADABLE } from "../../src/db/pool/test-support/mistyped-urls.js";
import { expectSecrecy, PASSWORD, passedInPool, useSecretUrls } from "./secret.js";
import { shownByCommands, shownByLibrary } from "./shown-text.js";

describeServer("a password is never shown", (target) => {
  const parts = useSecretUrls(target);

  it.each(UNREADABLE)("of a connection string that is refused: %s", async (_what, mistype) => {
    const url = mistype(parts());
    const folderBefore = await readdir(".");
    expect(() => new PostgresSaver(url)).toThrow(InvalidConfigError);
    expectSecrecy(await shownByLibrary(() => url));
    expectSecrecy(await shownByLibrary(() => passedInPool({ connectionString: url })));
    expectSecrecy(await shownByCommands(url));
    expect(await readdir(".")).toEqual(folderBefore);
  });

  it.each(READABLE)("of a connection string that is used: %s", async (_what, mistype) => {
    const url = mistype(parts());
    for (const open of [
      () => url,
      () => ({ connectionString: url }),
      () => passedInPool({ connectionString: url }),
    ]) {
      const shown = await shownByLibrary(open);
      expect(shown).toMatch(/CONNECTION_FAILED|DATABASE_ERROR/);
      expectSecrecy(shown);
    }
    expectSecrecy(await shownByCommands(url));
  });

  it("of a connection string with random mistakes", async () => {
    const secrets = fc.constantFrom(
      PASSWORD,
      "Hunter2-Ünï%41Secret",
      "Hunter2:Secret@Tail/x?y=z#q",
      "50%Hunter2",
    );
    const cases = secrets.chain((secret) =>
      mistakesOf({ ...parts(), password: encodeURIComponent(secret) }).map((url) => ({ secret, url })),
    );
    const folderBefore = await readdir(".");
    await fc.assert(
      fc.asyncProperty(cases, async ({ secret, url }) => {
        fc.pre(!isInPlaceOfName(url, secret));
        expectSecrecy(await shownByLibrary(() => url), secret);
        expectSecrecy(await shownByLibrary(() => passedInPool({ connectionString: url })), secret);
        expectSecrecy(await shownByCommands(url), secret);
        expect(await readdir(".")).toEqual(folderBefore);
      }),
      runs(60),
    );
  });
});
