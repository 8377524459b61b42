import type { CallContext } from "../../db/call-context.js";
import { compareText } from "../../saver/model/keys.js";
import type { ArchiveTarget } from "../archive-types.js";
import { archiveErrorOf } from "./archive-file.js";
import { isFileName, timeInName } from "./file-names.js";

/**
 * The files of an archive whose names begin with one of the prefixes, the newest first.
 *
 * @throws ArchiveError if the target fails.
 */
export async function newestFirst(
  { signal }: Pick<CallContext, "signal">,
  target: ArchiveTarget,
  prefixes: readonly string[],
): Promise<string[]> {
  const names = new Set<string>();
  for (const prefix of prefixes) {
    try {
      // A target may list other files as well.
      for await (const name of target.list(prefix, { signal })) {
        if (name.startsWith(prefix) && isFileName(name)) names.add(name);
      }
    } catch (error) {
      throw archiveErrorOf({ name: `${prefix}*`, signal }, "can't be listed", error);
    }
  }
  return [...names].sort((a, b) => compareText(timeInName(b), timeInName(a)));
}
