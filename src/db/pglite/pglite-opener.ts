import type { Extensions } from "@electric-sql/pglite";
import { InvalidConfigError } from "../../errors/index.js";
import { lockPGliteFolder, makePrivateFolder, makeFilesPrivate } from "./lock-pglite-folder.js";
import { ownError } from "../../errors/thrown.js";
import type { PGliteInstance } from "./pglite-instance.js";
import { pgliteFolderOf } from "./pglite-url.js";
import { noop } from "../async/noop.js";

/** A PGlite that opens with the first query. */
export interface PGliteOpener {
  /** Opens the PGlite on the first call, and returns the same instance on later calls. */
  readonly open: () => Promise<PGliteInstance>;
  /** Releases the lock on the folder. Call it when the instance is closed. */
  readonly release: () => void;
}

/**
 * Opens PGlite. It is imported only here, and hidden from bundlers, so that you need not install it unless you use it.
 *
 * @param url - `memory://`, or `file://` and a folder. A missing folder is created. Other users lose access
 *   to the folder.
 */
export function pgliteOpener(url: string): PGliteOpener {
  const folder = pgliteFolderOf(url);
  let unlock = noop;
  const open = async (): Promise<PGliteInstance> => {
    const { PGlite } = await import(
      /* webpackIgnore: true */ /* @vite-ignore */ "@electric-sql/pglite"
    ).catch((cause: unknown) => {
      throw new InvalidConfigError("source", "needs PGlite: npm install @electric-sql/pglite", { cause });
    });
    const options = { extensions: await installedExtensions() };
    if (folder === undefined) return PGlite.create(url, options);
    const removeOthersAccess = makePrivateFolder(folder);
    unlock = lockPGliteFolder(folder);
    try {
      const pglite = await PGlite.create(`file://${folder}`, options);
      makeFilesPrivate(pglite);
      // Covers the files that were created while it opened.
      removeOthersAccess();
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
      return opening.catch((error: unknown) => {
        throw ownError(error);
      });
    },
    release: () => {
      unlock();
    },
  };
}

/** The extension of embeddings, where its package is installed. A store without embeddings and a saver don't need it. */
async function installedExtensions(): Promise<Extensions> {
  try {
    const { vector } = await import(
      /* webpackIgnore: true */ /* @vite-ignore */ "@electric-sql/pglite-pgvector"
    );
    return { vector };
  } catch {
    return {};
  }
}
