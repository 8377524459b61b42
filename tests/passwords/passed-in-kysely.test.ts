import { it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import type { CheckpointDatabase } from "../../src/index.js";
import { UNREADABLE } from "../../src/db/pool/test-support/mistyped-urls.js";
import { describeServer } from "../../test-support/targets.js";
import { expectSecrecy, passedInPool, useSecretUrls } from "./secret.js";
import { shownByLibrary } from "./shown-text.js";

// In these, a piece of the password becomes the host, in an invisible pool.
const AS_HOST = ["an @ and a / in the password", "an @ and a ? in the password"];

function passedInKysely(connectionString: string): Kysely<CheckpointDatabase> {
  const pool = passedInPool({ connectionString });
  return new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
}

describeServer("a password of the invisible pool of a Kysely", (target) => {
  const parts = useSecretUrls(target);

  it.each(UNREADABLE.filter(([what]) => !AS_HOST.includes(what)))(
    "is never shown: %s",
    async (_what, mistype) => {
      expectSecrecy(await shownByLibrary(() => passedInKysely(mistype(parts()))));
    },
  );
});
