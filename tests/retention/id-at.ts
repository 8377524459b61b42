import { idsFrom } from "../../src/saver/model/checkpoint-time.js";

/** Makes the id of a checkpoint that was created at a time, in milliseconds since 1970. */
export function idAt(timeMs: number, n = 0): string {
  return `${idsFrom(new Date(timeMs))}-8000-${n.toString(16).padStart(12, "0")}`;
}
