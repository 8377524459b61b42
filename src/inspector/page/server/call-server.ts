import type { CallError, ReadCalls, ReadName, WriteCalls, WriteName } from "../../api/inspector-api.js";

/** An answer of the server that is an error. */
export class ServerError extends Error {
  /** The code of the error, such as `THREAD_DELETED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Reads from the server. */
export async function read<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
  signal?: AbortSignal,
): Promise<ReadCalls[Name]["result"]> {
  return post(name, args, signal);
}

/** Changes something on the server. */
export async function write<Name extends WriteName>(
  name: Name,
  args: WriteCalls[Name]["args"],
): Promise<WriteCalls[Name]["result"]> {
  return post(name, args);
}

async function post<Result>(name: string, args: object, signal?: AbortSignal): Promise<Result> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(args);
  const response = await fetch(`api/${name}`, {
    ...{ method: "POST", headers, body },
    ...(signal !== undefined && { signal }),
  });
  return resultOf<Result>(response);
}

async function resultOf<Result>(response: Response): Promise<Result> {
  const answer = (await response.json()) as Result | CallError;
  if (response.ok) return answer as Result;
  const { code, message } = (answer as CallError).error;
  throw new ServerError(code, message);
}
