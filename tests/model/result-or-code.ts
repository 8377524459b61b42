import { CheckpointError } from "../../src/index.js";

/** What a call comes to, or the code of the error that it is refused with. */
export async function codeOf<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CheckpointError) return error.code;
    throw error;
  }
}
