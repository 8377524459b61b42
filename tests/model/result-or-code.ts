import { CheckpointError } from "../../src/index.js";

/** Returns the result of a call, or the code of its `CheckpointError`. */
export async function resultOrCode<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CheckpointError) return error.code;
    throw error;
  }
}
