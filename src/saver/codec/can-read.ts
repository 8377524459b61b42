import { isUnreadable } from "../../errors/index.js";

/** Whether a read succeeds. Errors that say nothing about what is stored are thrown. */
export async function canRead(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}
