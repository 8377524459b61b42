import { messageOfThrown } from "../../errors/thrown.js";
import { posix, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext } from "../command-definition.js";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { isObject } from "../../serde/objects/inspect-object.js";
import { isSaver } from "../../threads/boundary/parse-copy-threads.js";

/**
 * Loads a module of the user.
 *
 * @param path - The path of the module, from the working directory.
 * @param importModule - Imports the module.
 * @throws InvalidConfigError for a module that can't be loaded.
 */
export async function loadModule(
  path: string,
  importModule: OfflineContext["importModule"],
): Promise<unknown> {
  try {
    return await importModule(moduleUrl(path));
  } catch (cause) {
    const reason = messageOfThrown(cause);
    throw new InvalidConfigError("module", `can't be loaded: ${reason}`, { cause });
  }
}

/** The URL of a module, which `import` needs: on Windows it takes `C:` for a scheme. */
export function moduleUrl(path: string, windows = process.platform === "win32"): string {
  const system = windows ? win32 : posix;
  return pathToFileURL(system.resolve(path), { windows }).href;
}

/**
 * Loads the saver that a module exports, by default or as `checkpointer`: the saver itself, or a function that returns it. Calls its `end`
 * after the work, where it has one.
 *
 * @param path - The path of the module, from the working directory.
 * @param importModule - Imports the module.
 * @throws InvalidConfigError for a module that can't be loaded, or that exports no saver.
 */
export async function withLoadedSaver<T>(
  path: string,
  importModule: OfflineContext["importModule"],
  work: (saver: BaseCheckpointSaver) => Promise<T>,
): Promise<T> {
  const module = await loadModule(path, importModule);
  const exported = exportOf(module, "default") ?? exportOf(module, "checkpointer");
  const saver = isFunction(exported) ? await created(exported) : exported;
  if (!isSaver(saver)) {
    throw new InvalidConfigError(
      "module",
      "must export a checkpoint saver, or a function that returns one, by default or as `checkpointer`",
    );
  }
  try {
    return await work(saver);
  } finally {
    if ("end" in saver && isFunction(saver.end)) await saver.end();
  }
}

function exportOf(module: unknown, name: string): unknown {
  return isObject(module) ? Reflect.get(module, name) : undefined;
}

function isFunction(value: unknown): value is () => unknown {
  return typeof value === "function";
}

/** @throws InvalidConfigError where the function of the user fails. */
async function created(create: () => unknown): Promise<unknown> {
  try {
    return await create();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidConfigError("module", `its function failed: ${reason}`, { cause });
  }
}
