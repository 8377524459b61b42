import type { ReadCalls, ReadName, WriteCalls, WriteName } from "../../api/inspector-api.js";
import { objectOf, postOf, send } from "./send.js";

/** Reads from the server. */
export async function read<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
  signal?: AbortSignal,
): Promise<ReadCalls[Name]["result"]> {
  return call(name, args, signal);
}

/** Changes something on the server. */
export async function write<Name extends WriteName>(
  name: Name,
  args: WriteCalls[Name]["args"],
): Promise<WriteCalls[Name]["result"]> {
  return call(name, args);
}

/** Finds out whether the inspector answers. Throws why not, such as that the person is signed out. */
export async function checkSession(): Promise<void> {
  await read("overview", {});
}

async function call<Result extends object>(
  name: string,
  args: object,
  signal?: AbortSignal,
): Promise<Result> {
  return send(`api/${name}`, postOf(args, signal), async (response) => {
    const answer = await objectOf(response);
    // No result has an error. An application may say so with the status of a success.
    return answer === undefined || "error" in answer ? undefined : (answer as Result);
  });
}
