import { describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { describeServer } from "../../test-support/targets.js";
import { waysOf } from "./driver.js";
import { describeDriver } from "./describe-driver.js";
import { installedPgNative, NATIVE_LIKE } from "./pg-native.js";

const native = await installedPgNative();

// Its Kysely is that of `pg`.
describeDriver(NATIVE_LIKE, waysOf(NATIVE_LIKE).slice(0, 1));

if (native !== undefined) describeDriver(native);
else {
  process.stdout.write(
    "Skipped because pg-native can't be compiled here: apt-get install g++ make python3 libpq-dev\n",
  );
  describe("pg-native", () => {
    it.skip("can't be compiled here", () => undefined);
  });
}

const { openPool } = native ?? NATIVE_LIKE;

describeServer("the clients of pg-native", (target) => {
  it("may be named in the options of a pool that the saver opens", async () => {
    const { source } = await target.sharedDatabase();
    const probe = openPool({ connectionString: source });
    const { Client } = probe as typeof probe & { readonly Client: new () => never };
    await probe.end();
    await using saver = new PostgresSaver({ connectionString: source, Client });
    expect(await saver.health()).toMatchObject({ ok: true });
  });

  it("are refused where the application changed how they read values, before anything is stored", async () => {
    const { source } = await target.createDatabase();
    const readsLetters = { getTypeParser: () => (text: string) => text };
    const pool = openPool({ connectionString: source, types: readsLetters });
    await expect(new PostgresSaver(pool).setup()).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      field: "source",
    });
    await pool.end();
  });
});
