import { ServerError } from "../../server/errors.js";

/** Says what a conflict of versions means for who has typed the value. Other errors are returned as they are. */
export function explainConflict(error: unknown, message: string): unknown {
  return error instanceof ServerError && error.code === "VERSION_CONFLICT"
    ? new ServerError(error.code, message)
    : error;
}
