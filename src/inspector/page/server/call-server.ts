import type { CallError, ReadCalls, ReadName, WriteCalls, WriteName } from "../../api/inspector-api.js";

/** An answer of the server that is an error. */
export class ServerError extends Error {
  constructor(
    /** The code of the error, such as `THREAD_DELETED`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Reads from the server. */
export async function read<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
  signal?: AbortSignal,
): Promise<ReadCalls[Name]["result"]> {
  const query = new URLSearchParams({ args: JSON.stringify(args) });
  const response = await fetch(`api/${name}?${query.toString()}`, signal === undefined ? {} : { signal });
  return resultOf<ReadCalls[Name]["result"]>(response);
}

/** Changes something on the server. */
export async function write<Name extends WriteName>(
  name: Name,
  args: WriteCalls[Name]["args"],
): Promise<WriteCalls[Name]["result"]> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`api/${name}`, { method: "POST", headers, body: JSON.stringify(args) });
  return resultOf<WriteCalls[Name]["result"]>(response);
}

async function resultOf<Result>(response: Response): Promise<Result> {
  const answer = (await response.json()) as Result | CallError;
  if (response.ok) return answer as Result;
  const { code, message } = (answer as CallError).error;
  throw new ServerError(code, message);
}
