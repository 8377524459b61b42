import type { ValuePlace } from "../../api/places.js";
import type { ValuePath } from "../../api/value-node.js";

/** What to download. */
interface Downloaded {
  readonly place: ValuePlace;
  readonly path: ValuePath;
  /** Whether the value is a text that stands for bytes. */
  readonly isBase64?: boolean;
}

/** Returns the address of a part of a stored value as a file. */
export function downloadAddress(downloaded: Downloaded): string {
  return `download?${new URLSearchParams({ args: JSON.stringify(downloaded) }).toString()}`;
}
