import type { PGlite as KyselyPGlite } from "kysely";
import { InvalidConfigError } from "../errors.js";
import { failingPGlite } from "./failing-pglite.js";
import { lockPGliteFolder } from "./pglite-folder-lock.js";

/** An open PGlite, as far as it is needed here. */
export type PGliteInstance = KyselyPGlite;

/** A PGlite that is opened with the first query. */
export interface PGliteOpener {
  /** What Kysely's dialect calls once. */
  readonly open: () => Promise<PGliteInstance>;
  /** Gives up what {@link open} holds beside the instance; called when that is closed. */
  readonly release: () => void;
}

/**
 * Opens PGlite, which is imported only here, so that those who don't use it need not install it.
 *
 * @param url - `memory://`, or `file://` and a folder, which is created when it is missing and is ours alone meanwhile.
 */
export function pgliteOpener(url: string): PGliteOpener {
  let unlock = noop;
  return {
    open: async () => {
      const { PGlite } = await import("@electric-sql/pglite").catch((cause: unknown) => {
        throw new InvalidConfigError("source", `"${url}" needs PGlite: npm install @electric-sql/pglite`, {
          cause,
        });
      });
      if (url.startsWith(FOLDER_SCHEME)) unlock = lockPGliteFolder(url.slice(FOLDER_SCHEME.length));
      try {
        return failingPGlite(await PGlite.create(url));
      } catch (error) {
        unlock();
        throw error;
      }
    },
    release: () => {
      unlock();
    },
  };
}

const FOLDER_SCHEME = "file://";

function noop(): void {
  // In memory there is nothing to lock.
}
