import type { PGlite as KyselyPGlite, PGliteDialectConfig } from "kysely";
import { type Driver, PGliteDialect } from "kysely";
import { InvalidConfigError } from "../errors.js";
import { ExclusiveDriver } from "./exclusive-driver.js";

/** An open PGlite, as far as it is needed here. */
export type PGliteInstance = KyselyPGlite;

/** A Kysely dialect on PGlite that is safe with transactions; see {@link ExclusiveDriver}. */
export class ExclusivePGliteDialect extends PGliteDialect {
  override createDriver(): Driver {
    return new ExclusiveDriver(super.createDriver());
  }
}

/**
 * Opens PGlite, which is imported only here, so that those who don't use it need not install it.
 *
 * @param dataDir - `memory://`, or a folder, with or without `file://` before it. A missing folder is created.
 */
export function openPGlite(dataDir: string): PGliteDialectConfig["pglite"] {
  return async () => {
    const { PGlite } = await import("@electric-sql/pglite").catch((cause: unknown) => {
      throw new InvalidConfigError("source", `"${dataDir}" needs PGlite: npm install @electric-sql/pglite`, {
        cause,
      });
    });
    return PGlite.create(dataDir);
  };
}
