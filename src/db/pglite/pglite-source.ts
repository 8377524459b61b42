import type { PGlite as KyselyPGlite } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";
import { lockPGliteFolder } from "./pglite-folder-lock.js";
import { pgliteFolderOf } from "./pglite-url.js";
import { makePrivateFolder } from "./private-folder.js";
import { makeFilesPrivate } from "./private-pglite-files.js";

/** An open PGlite, as far as it is needed here. */
export type PGliteInstance = KyselyPGlite;

/** A PGlite that is opened with the first query. */
export interface PGliteOpener {
  /** Opens it for the first who asks, and tells those after him the same one. */
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
  const folder = pgliteFolderOf(url);
  let unlock = noop;
  const open = async (): Promise<PGliteInstance> => {
    const { PGlite } = await import("@electric-sql/pglite").catch((cause: unknown) => {
      throw new InvalidConfigError("source", "needs PGlite: npm install @electric-sql/pglite", { cause });
    });
    if (folder === undefined) return PGlite.create(url);
    const closeToOthers = makePrivateFolder(folder);
    unlock = lockPGliteFolder(folder);
    try {
      const pglite = await PGlite.create(url);
      makeFilesPrivate(pglite);
      // What it has made while it was opened.
      closeToOthers();
      return pglite;
    } catch (error) {
      unlock();
      throw error;
    }
  };
  let opening: Promise<PGliteInstance> | undefined;
  return {
    open: () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    release: () => {
      unlock();
    },
  };
}

function noop(): void {
  // In memory there is nothing to lock.
}
